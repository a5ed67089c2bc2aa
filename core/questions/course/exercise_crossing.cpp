#include <fmt/format.h>

#include <cmath>

#include "core/model/units.hpp"
#include "core/questions/course/exercise_sides.hpp"

namespace gable::questions {
namespace {

/// Of a device whose launch nobody measured, s: a launch and the wait for it take about as long on many.
constexpr double stated_launch_s = 10e-6;

/// A processor, and a device that it hands work to.
struct Crossing {
  const ExerciseDevice &host, &device;
  Sides at_host, at_device;
  Launch host_launch, device_launch;
  double head_start() const { return device_launch.seconds - host_launch.seconds; }  ///< s, of the host
};

/// The arrays are where they are needed: t = launch + bytes / B of both, so bytes = (t_B - t_A) / (1/B_A - 1/B_B).
void add_streaming(std::vector<Exercise>& list, const Crossing& pair) {
  const double slope = 1 / pair.at_host.bandwidth - 1 / pair.at_device.bandwidth;
  if (!(slope > 0) || !(pair.head_start() > 0)) return;
  const double bytes = pair.head_start() / slope;
  const std::string host_rate = format_quantity(pair.at_host.bandwidth, "byte/s"),
                    device_rate = format_quantity(pair.at_device.bandwidth, "byte/s");
  list.push_back(
      {fmt::format("crossing/{}/{}/stream", pair.host.letter, pair.device.letter),
       fmt::format(
           "Work that only moves memory, on arrays that lie in the memory of whoever works on them. {}: {}, {}. "
           "{}: {}, {}. From how many megabytes moved on is {} the faster one? Leave the caches out.",
           pair.host.name, host_rate, pair.host_launch.words, pair.device.name, device_rate, pair.device_launch.words,
           pair.device.letter),
       "MB",
       bytes / 1e6,
       0.1,
       fmt::format(
           "Both take launch + bytes / B. They are level where bytes = ({} - {}) / (1 / {} - 1 / {}) = {}. Below "
           "it the launch costs more than the memory gains. Measure it: caches of {} serve small arrays faster "
           "and move the crossing up.",
           format_quantity(pair.device_launch.seconds, "s"),
           pair.host_launch.seconds > 0 ? format_quantity(pair.host_launch.seconds, "s") : "0", host_rate, device_rate,
           format_quantity(bytes, "byte"), pair.host.letter),
       ExerciseKind::predict,
       {{"the time that the processor takes meanwhile is left out", pair.head_start() * pair.at_device.bandwidth / 1e6,
         wrong_way_credit}}});
}

/// An n x n product in fp32 whose three matrices go over the link: 2 n^3 (1/P_A - 1/P_B) = head start + 12 n^2 / L.
/// Positive for small n, and with one root, where the host has a head start: n^3 overtakes n^2 once.
double product_crossing(const Crossing& pair, double link) {
  const double per_flop = 1 / pair.at_host.peak - 1 / pair.at_device.peak;
  const auto ahead = [&](double n) { return pair.head_start() + 12 * n * n / link - 2 * n * n * n * per_flop; };
  double low = 0, high = 1;
  while (ahead(high) > 0) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (ahead(middle) > 0 ? low : high) = middle;
  }
  return high;
}

void add_product(std::vector<Exercise>& list, const Crossing& pair) {
  const double per_flop = 1 / pair.at_host.peak - 1 / pair.at_device.peak;
  if (!(per_flop > 0) || !(pair.head_start() > 0) || !pair.device.link_byte_per_s) return;
  const double link = *pair.device.link_byte_per_s, n = product_crossing(pair, link);
  const std::string host_rate = format_quantity(pair.at_host.peak, "flop/s"),
                    device_rate = format_quantity(pair.at_device.peak, "flop/s"),
                    link_rate = format_quantity(link, "byte/s");
  list.push_back(
      {fmt::format("crossing/{}/{}/product", pair.host.letter, pair.device.letter),
       fmt::format(
           "A product of two n x n matrices in fp32 is wanted on {0}, where both lie: 2 n^3 flop. {0} does {1}, "
           "{2}. {3} does {4}, {5}; both matrices have to go over the link and the product back, 12 n^2 byte at "
           "{6} ({7}). From which n on is {8} the faster one? Leave their own memories out.",
           pair.host.name, host_rate, pair.host_launch.words, pair.device.name, device_rate, pair.device_launch.words,
           link_rate, pair.device.link_name, pair.device.letter),
       "rows",
       n,
       0.1,
       fmt::format(
           "They are level where 2 n^3 (1 / {} - 1 / {}) = {} + 12 n^2 / {}. The launch alone says n = {:.3g}, the "
           "link alone n = 6 / L / (1 / P - 1 / P') = {:.3g}; both together n = {:.3g}, by trying. There the "
           "arithmetic takes {} on {}; on {} it takes {}, the link {}, and the launch {} more.",
           host_rate, device_rate, format_quantity(pair.head_start(), "s"), link_rate,
           std::cbrt(pair.head_start() / 2 / per_flop), 6 / link / per_flop, n,
           format_quantity(2 * n * n * n / pair.at_host.peak, "s"), pair.host.letter, pair.device.letter,
           format_quantity(2 * n * n * n / pair.at_device.peak, "s"), format_quantity(12 * n * n / link, "s"),
           format_quantity(pair.head_start(), "s")),
       ExerciseKind::predict,
       {{"the link is left out", std::cbrt(pair.head_start() / 2 / per_flop), wrong_way_credit},
        {"the launch is left out", 6 / link / per_flop, wrong_way_credit}}});
}

}  // namespace

/// A datasheet prints no launch overhead, and of a processor that was not asked for one none is counted.
Launch launch_of(const ExerciseDevice& device) {
  if (const auto overhead = device.machine.roofline.overhead())
    return {overhead->seconds, fmt::format("a launch takes {}", format_quantity(overhead->seconds, "s"))};
  if (device.processor) return {0, "a launch takes no time to speak of"};
  return {stated_launch_s,
          fmt::format("take {} for a launch, which nobody measured", format_quantity(stated_launch_s, "s"))};
}

void add_crossings(std::vector<Exercise>& list, std::span<const ExerciseDevice> devices) {
  const ExerciseDevice *host = first_device(devices, true), *device = first_device(devices, false);
  if (!host || !device) return;
  const auto at_host = sides_of(*host, DType::fp32), at_device = sides_of(*device, DType::fp32);
  if (!at_host || !at_device) return;
  const Crossing pair{*host, *device, *at_host, *at_device, launch_of(*host), launch_of(*device)};
  add_streaming(list, pair);
  add_product(list, pair);
}

}  // namespace gable::questions
