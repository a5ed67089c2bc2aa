#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/model/answer.hpp"
#include "core/model/roofline.hpp"
#include "core/result/result.hpp"

namespace gable::experiment {

/// What an experiment shows of one device, operator, implementation and type.
struct SeriesAnswer : Answer::Table {
  std::string subject;
  std::string conclusion;  ///< in plain words
};

/// A question about one device: what to run, and what the rows say. docs/experiments.md tells what each shows.
struct Experiment {
  std::string_view name, summary;
  bool all_dtypes{};                                          ///< of the types that are not chosen: all, else fp32
  std::vector<Case> (*plan)(const DeviceInfo&, Operators){};  ///< for the part of a device that is measured
  std::vector<SeriesAnswer> (*answers)(const Result&){};
};

std::span<const Experiment> experiments();
/// Throws Error listing the names.
const Experiment& find_experiment(std::string_view name);

/// What it runs on a part of a device, for worker::serve(). Throws Error as find_experiment().
std::vector<Case> cases_of(std::string_view name, const DeviceInfo& device, Operators operators);

/// Storage types that any of the cases takes, each once.
std::vector<DType> types_of(Operators operators, const std::vector<Case>& cases);

/// Why rows have no figure, with the first of them: "not judged: point/relu/…: unsupported: no graphs on CPUs".
std::vector<std::string> missing(const Result& result);
/// All experiments and their questions.
Answer experiments_answer();
/// Everything that the experiment finds in a result, and why rows have no figure.
Answer answer_of(const Experiment& experiment, const Result& result);

// The experiments, one source each.
std::vector<Case> plan_overhead(const DeviceInfo& device, Operators operators);
std::vector<SeriesAnswer> answer_overhead(const Result& result);
std::vector<Case> plan_fusion(const DeviceInfo& device, Operators operators);
std::vector<SeriesAnswer> answer_fusion(const Result& result);
std::vector<Case> plan_batch(const DeviceInfo& device, Operators operators);
std::vector<SeriesAnswer> answer_batch(const Result& result);
std::vector<Case> plan_precision(const DeviceInfo& device, Operators operators);
std::vector<SeriesAnswer> answer_precision(const Result& result);
std::vector<Case> plan_bytes(const DeviceInfo& device, Operators operators);
std::vector<SeriesAnswer> answer_bytes(const Result& result);
std::vector<Case> plan_misalignment(const DeviceInfo& device, Operators operators);
std::vector<SeriesAnswer> answer_misalignment(const Result& result);

/// The measured hot points of one device, scope, operator, implementation and type, in the order of the result.
struct Series {
  std::string device;
  Scope scope{};
  std::string op, implementation;
  Types types;
  std::vector<const Point*> points;  ///< with their verdicts (set_verdicts())

  /// "relu fp32, kokkos, openmp"
  std::string subject() const;
};
/// Pointers into the result, which must outlive them.
std::vector<Series> series_of(const Result& result, std::string_view op);

/// A size among the named parameters of a point. Throws Error naming it if it is not there.
double size_of(const Point& point, std::string_view name);

}  // namespace gable::experiment
