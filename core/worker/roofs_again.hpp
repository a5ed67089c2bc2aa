#pragma once
#include <vector>

#include "core/backend.hpp"

namespace gable::worker {

/// The ordinary streams of main memory among `ceilings`, to be measured a second time among the operators, as rows of
/// the variant `measured_again` (ceiling.hpp). On a shared machine the memory bandwidth moves within seconds: a point
/// that ran in a better moment than the roof would come out faster than what bounds it.
std::vector<Item> roofs_again(const std::vector<Item>& ceilings, const DeviceInfo& device);

/// `points` in their order with `again`, the last first, evenly among them and at the end: the streams of several
/// arrays stand by the elementwise operators, which come first, and read by the products.
std::vector<Item> spread(std::vector<Item> points, std::vector<Item> again);

}  // namespace gable::worker
