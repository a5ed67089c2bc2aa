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

std::string where(const Crossing& pair) { return pair.host.letter + "/" + pair.device.letter; }

Words words_of(const Crossing& pair) {
  return words_of(pair.device, DType::fp32, pair.at_device) + Words{{"host", pair.host.name},
                                                                    {"host_memory", {pair.at_host.bandwidth, "byte/s"}},
                                                                    {"host_peak", {pair.at_host.peak, "flop/s"}},
                                                                    {"host_launch", pair.host_launch.words},
                                                                    {"launch", pair.device_launch.words},
                                                                    {"head_start", {pair.head_start(), "s"}}};
}

/// The arrays are where they are needed: t = launch + bytes / B of both, so bytes = (t_B - t_A) / (1/B_A - 1/B_B).
void add_streaming(std::vector<Exercise>& list, const Crossing& pair) {
  const double slope = 1 / pair.at_host.bandwidth - 1 / pair.at_device.bandwidth;
  if (!(slope > 0) || !(pair.head_start() > 0)) return;
  ask(list, "crossing/stream", where(pair), pair.head_start() / slope / 1e6,
      words_of(pair) + Words{{"device_alone", pair.head_start() * pair.at_device.bandwidth / 1e6}});
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
  const Words words = words_of(pair) + Words{{"link", {link, "byte/s"}},
                                             {"link_name", pair.device.link_name},
                                             {"launch_alone", std::cbrt(pair.head_start() / 2 / per_flop)},
                                             {"link_alone", 6 / link / per_flop},
                                             {"host_time", {2 * n * n * n / pair.at_host.peak, "s"}},
                                             {"time", {2 * n * n * n / pair.at_device.peak, "s"}},
                                             {"link_time", {12 * n * n / link, "s"}}};
  ask(list, "crossing/product", where(pair), n, words);
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
