#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "core/model/answer.hpp"
#include "core/result/result.hpp"

namespace gable::questions {

/// Why a device is slower beside others.
enum class ContentionCause {
  none,       ///< it loses nothing that shows
  power,      ///< the clock fell, and the device names its power limit or stands at it
  clock,      ///< the clock fell, by at least half of the loss
  bandwidth,  ///< the clock held, or a link has none, and the row moves data: the others take a part of the way
  units,      ///< the clock held, and the row computes: the others use the same units
  unknown     ///< no clock was read, so nothing tells these apart
};
constexpr auto names_of(ContentionCause) {
  return names_up_to<ContentionCause::unknown>("none", "power", "clock", "bandwidth", "units", "unknown");
}
using gable::to_string;

/// One row of one device, alone and together with others.
struct Contention {
  std::string device;
  Ceiling alone{}, together{};
  double loss{};                                  ///< 1 - together / alone; negative where it gains
  std::optional<double> loss_low{}, loss_high{};  ///< from the intervals of both
  bool shows{};                                   ///< the intervals are apart, and the loss is over 3 %
  ContentionCause cause{ContentionCause::none};
};

/// What the devices that measured at the same time say together.
struct ContentionOf {
  std::string resource;  ///< "main memory read", "vector fp64", "host_to_device" (core/worker/concurrent_items.hpp)
  std::vector<Contention> members;
  /// Of all members, where all measure one quantity in one unit: together, and the largest that one of them has alone.
  std::optional<double> sum_together{}, most_alone{};
  std::string unit{};
};

/// Every resource of the result that devices used at the same time, in the order of its rows. Rows without a valid
/// figure, alone or together, are left out.
std::vector<ContentionOf> contentions(const Result& result);

/// What a device loses beside the others, with the sums of all below; nothing where it was not measured with others.
/// Without a device every one of them, for people alone.
void add_contentions(Answer& answer, std::span<const ContentionOf> all, const std::string& device);

}  // namespace gable::questions
