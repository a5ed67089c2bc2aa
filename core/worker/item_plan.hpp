#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "core/backend.hpp"

namespace gable::worker {

/// The ordinary streams of main memory among `ceilings`, to be measured a second time among the operators, as items
/// of the variant `among_operators` (ceiling.hpp), whose rounds become rounds of the stream's row. On a shared machine
/// the memory bandwidth moves within seconds: a point that ran in a better moment than the roof would come out faster
/// than what bounds it.
std::vector<Item> streams_among_operators(const std::vector<Item>& ceilings, const DeviceInfo& device);

/// `points` in their order with `streams`, the last first, evenly among those of them that can be measured: on a CPU
/// the streams of several arrays then stand among the elementwise operators, which come first, and read behind the
/// products.
std::vector<Item> interleave(std::vector<Item> points, std::vector<Item> streams);

/// The cases that an experiment runs on a part of a device. Throws Error for a name that is none.
using ExperimentCases = std::vector<Case> (*)(std::string_view experiment, const DeviceInfo&, Operators);

/// Everything the request asks of the opened backend, in the order in which it is measured: ceilings, then operators
/// with streams_among_operators() among them. An experiment needs its own cases
/// and those ceilings that bound operators; a concurrent run has concurrent_items() alone. The backend and entries must
/// outlive it. Throws as point_items().
std::vector<Item> plan_items(Backend& backend, const DeviceInfo& device, const Request& request,
                             std::span<const OperatorEntry* const> entries, ExperimentCases cases_of);

}  // namespace gable::worker
