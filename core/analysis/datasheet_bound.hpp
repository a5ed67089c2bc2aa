#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/point.hpp"
#include "core/model/roofline.hpp"
#include "core/result/result.hpp"

namespace gable::analysis {

/// A point under the vendor's figures instead of the measured ones.
struct DatasheetBound {
  double time_s{};    ///< least time
  double fraction{};  ///< of it in the measured time; at most what `fraction_of_limit` would be under perfect roofs
  std::string limit;  ///< which figure binds
};

/// Stages without the exponentials and conversions that have no roof: vendors print none.
std::vector<Stage> printed(std::vector<Stage> stages, const Types& types, const Roofline& roofline);

/// Bound of a measured point by the theoretical peaks of its device and, where its product is known, those of the
/// catalogue. Vendors print no roof for exponentials, conversions and launches: these are left out, so that the bound
/// is looser. Nothing where the point was not measured, its measured limit is of exponentials or conversions, or a roof
/// that may decide is not known; a compute-bound point needs none of the memory.
std::optional<DatasheetBound> datasheet_bound(const Point& point, const DeviceInfo& device);
/// Of the device that the result says the point ran on; nothing where it has none of that id.
std::optional<DatasheetBound> datasheet_bound(const Result& result, const Point& point);

}  // namespace gable::analysis
