#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/model/answer.hpp"
#include "core/result/result.hpp"

namespace gable::experiment {

/// What an experiment shows of one device, operator, implementation and type.
struct Finding : Answer::Table {
  std::string subject;
  std::string conclusion;  ///< in plain words
};

/// A question about one device: what to run, and what the rows say. docs/experiments.md tells what each shows.
struct Experiment {
  std::string_view name, summary;
  bool all_dtypes{};                                          ///< of the types that are not chosen: all, else fp32
  std::vector<Case> (*plan)(const DeviceInfo&, Operators){};  ///< for the part of a device that is measured
  std::vector<Finding> (*answers)(const Result&){};
};

std::span<const Experiment> experiments();
/// Throws Error listing the names.
const Experiment& find_experiment(std::string_view name);

/// Storage types that any of the cases takes, each once.
std::vector<DType> types_of(Operators operators, const std::vector<Case>& cases);

/// Reasons of the rows without a figure, "unsupported: no graphs on CPUs", each once.
std::vector<std::string> missing(const Result& result);
/// All experiments and their questions.
Answer experiments_answer();
/// Everything that the experiment finds in a result, and why rows have no figure.
Answer answer_of(const Experiment& experiment, const Result& result);

// The experiments, one source each.
std::vector<Case> plan_overhead(const DeviceInfo& device, Operators operators);
std::vector<Finding> answer_overhead(const Result& result);
std::vector<Case> plan_fusion(const DeviceInfo& device, Operators operators);
std::vector<Finding> answer_fusion(const Result& result);
std::vector<Case> plan_batch(const DeviceInfo& device, Operators operators);
std::vector<Finding> answer_batch(const Result& result);
std::vector<Case> plan_precision(const DeviceInfo& device, Operators operators);
std::vector<Finding> answer_precision(const Result& result);
std::vector<Case> plan_bytes(const DeviceInfo& device, Operators operators);
std::vector<Finding> answer_bytes(const Result& result);
std::vector<Case> plan_misalignment(const DeviceInfo& device, Operators operators);
std::vector<Finding> answer_misalignment(const Result& result);

}  // namespace gable::experiment
