#pragma once
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "core/measure/sampler.hpp"
#include "core/operator.hpp"

namespace gable::worker {

/// How an operator's run is sampled.
measure::Policy point_policy(Mode mode);

/// The items that run operators on the opened backend: every case x implementation x type x size the request asks
/// for. What cannot run is an item too, and yields `unsupported` or `skipped` with the reason. The backend and entries
/// must outlive them. Throws Error when sizes asked for by the user are bad or do not fit the memory.
std::vector<Item> point_items(Backend& backend, const DeviceInfo& device, const Request& request,
                              std::span<const OperatorEntry* const> entries);

}  // namespace gable::worker
