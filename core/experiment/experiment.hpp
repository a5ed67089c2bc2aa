#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/experiment/answer.hpp"
#include "core/result/result.hpp"

namespace gable::experiment {

/// A question about one device: what to run, and what the rows say. docs/experiments.md tells what each shows.
struct Experiment {
  std::string_view name, summary;
  bool all_dtypes{};                                          ///< of the types that are not chosen: all, else fp32
  std::vector<Case> (*plan)(const DeviceInfo&, Operators){};  ///< for the part of a device that is measured
  std::vector<Answer> (*answers)(const Result&){};
};

std::span<const Experiment> experiments();
/// Throws Error listing the names.
const Experiment& find_experiment(std::string_view name);

/// Storage types that any of the cases takes, each once.
std::vector<DType> types_of(Operators operators, const std::vector<Case>& cases);

/// Reasons of the rows without a figure, "unsupported: no graphs on CPUs", each once.
std::vector<std::string> missing(const Result& result);

// The experiments, one source each.
std::vector<Case> plan_overhead(const DeviceInfo& device, Operators operators);
std::vector<Answer> answer_overhead(const Result& result);
std::vector<Case> plan_fusion(const DeviceInfo& device, Operators operators);
std::vector<Answer> answer_fusion(const Result& result);
std::vector<Case> plan_batch(const DeviceInfo& device, Operators operators);
std::vector<Answer> answer_batch(const Result& result);
std::vector<Case> plan_precision(const DeviceInfo& device, Operators operators);
std::vector<Answer> answer_precision(const Result& result);
std::vector<Case> plan_bytes(const DeviceInfo& device, Operators operators);
std::vector<Answer> answer_bytes(const Result& result);
std::vector<Case> plan_misalignment(const DeviceInfo& device, Operators operators);
std::vector<Answer> answer_misalignment(const Result& result);

}  // namespace gable::experiment
