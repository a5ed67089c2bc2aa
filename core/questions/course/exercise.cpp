#include "core/questions/course/exercise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/enum_names.hpp"
#include "core/model/units.hpp"
#include "core/questions/course/exercise_sides.hpp"

namespace gable::questions {
namespace {

constexpr auto grade_names = enum_names<Grade>(
    {{Grade::right, "right"}, {Grade::near, "near"}, {Grade::wrong, "wrong"}, {Grade::missing, "missing"}});

void add_ridges(std::vector<Exercise>& list, std::span<const ExerciseDevice> devices) {
  constexpr std::size_t most = 2;  ///< of one device
  for (const ExerciseDevice& device : devices) {
    std::size_t count = 0;
    for (const DType dtype : {DType::fp64, DType::fp32, DType::fp16, DType::bf16}) {
      const auto sides = sides_of(device, dtype);
      if (!sides || count++ >= most) continue;
      const std::string peak = format_quantity(sides->peak, "flop/s"),
                        rate = format_quantity(sides->bandwidth, "byte/s");
      list.push_back({fmt::format("ridge/{}/{}", device.letter, to_string(dtype)),
                      fmt::format("{}: its highest {} roof is {}, its main memory does {}. Where is the ridge?",
                                  device.name, to_string(dtype), peak, rate),
                      "flop/byte", sides->ridge(), 0.05,
                      fmt::format("The ridge is where both roofs meet: P / B = {} / {} = {:.3g} flop/byte. Work with "
                                  "fewer operations for each byte is bound by the memory.",
                                  peak, rate, sides->ridge())});
    }
  }
}

std::string name_of(const ExerciseDevice& device, const Point& point) {
  return fmt::format("{} {} {} ({}{}{})", device.letter, point.op, to_string(point.types.a), point.implementation,
                     point.params.empty() ? "" : ", ", point.params);
}

void add_landing(std::vector<Exercise>& list, const ExerciseDevice& device, const Point& point, const Sides& sides) {
  const double intensity = *intensity_of(point), most = sides.most(intensity);
  const Sides faster{sides.peak, 2 * sides.bandwidth, sides.label};
  const double gain = faster.most(intensity) / most;
  const std::string name = name_of(device, point);
  const std::string flops = format_quantity(*flops_of(point), "flop"),
                    bytes = format_quantity(*bytes_of(point), "byte");
  const std::string figures = fmt::format("{} does {} and must move {}. Of {}, {}.", name, flops, bytes, device.letter,
                                          sides.figures(point.types.compute));
  list.push_back(
      {fmt::format("landing/{}/{}", device.letter, point.id), figures + " What can it reach at most?", "GFLOP/s",
       most / 1e9, 0.1,
       fmt::format(
           "I = {} / {} = {:.3g} flop/byte, and min(P, I x B): {}; I x B = {}, so at most {}. Measured: {}; "
           "all roofs together (every level, unit and launch) name as its limit {}, of which it reaches "
           "{:.3g} %{}.",
           flops, bytes, intensity, sides.words(), format_quantity(intensity * sides.bandwidth, "flop/s"),
           format_quantity(most, "flop/s"), format_quantity(*flop_per_s(point), "flop/s"), point.limit,
           100 * *point.fraction_of_limit,
           point.compared_rounds > 0 ? ", compared round by round, because main memory changed its speed" : "")});
  list.push_back(
      {fmt::format("double/{}/{}", device.letter, point.id),
       figures + " If main memory were twice as fast, how many times as fast could it be at most?", times_as_fast, gain,
       0.05,
       fmt::format("I = {:.3g} flop/byte. Before min(P, I x B) = {}, after min(P, I x 2B) = {}: {:.3g}. {}", intensity,
                   format_quantity(most, "flop/s"), format_quantity(faster.most(intensity), "flop/s"), gain,
                   gain < 1.001   ? "It is right of the ridge: its arithmetic decides."
                   : gain > 1.999 ? "It is far enough left of the ridge to gain all of it."
                                  : "It meets the ridge on the way.")});
}

/// One point of each regime that has both roofs.
void add_landings(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  constexpr std::size_t most = 3;
  std::set<Regime> seen;
  for (const Point& point : result.points) {
    const ExerciseDevice* device = device_of(devices, point);
    const bool judged = point.status == Status::ok && point.regime && point.fraction_of_limit && intensity_of(point);
    if (!device || !judged || *point.regime == Regime::overhead_bound || seen.contains(*point.regime)) continue;
    const auto sides = sides_of(*device, point.types.compute);
    if (!sides || seen.size() >= most) continue;
    seen.insert(*point.regime);
    add_landing(list, *device, point, *sides);
  }
}

void add_other_device(std::vector<Exercise>& list, std::span<const ExerciseDevice> devices) {
  if (devices.size() < 2) return;
  const auto a = sides_of(devices[0], DType::fp32), b = sides_of(devices[1], DType::fp32);
  if (!a || !b) return;
  const double gain = b->most(1) / a->most(1);
  list.push_back(
      {"other/fp32",
       fmt::format("Work in fp32 with 1 flop/byte. {} has {} and {}; {} has {} and {}. How many times as fast "
                   "can it be on the second as on the first?",
                   devices[0].name, format_quantity(a->peak, "flop/s"), format_quantity(a->bandwidth, "byte/s"),
                   devices[1].name, format_quantity(b->peak, "flop/s"), format_quantity(b->bandwidth, "byte/s")),
       times_as_fast, gain, 0.1,
       fmt::format("First: {}, at most {}. Second: {}, at most {}: {:.3g}. The peaks alone would say {:.3g}.",
                   a->words(), format_quantity(a->most(1), "flop/s"), b->words(), format_quantity(b->most(1), "flop/s"),
                   gain, b->peak / a->peak)});
}

/// Of a device whose launch nobody measured, s: a launch and the wait for it take about as long on many.
constexpr double stated_launch_s = 10e-6;

struct Launch {
  double seconds{};
  std::string words;
};

/// A datasheet prints no launch overhead, and of a processor that was not asked for one none is counted.
Launch launch_of(const ExerciseDevice& device) {
  if (const auto overhead = device.machine.roofline.overhead())
    return {overhead->seconds, fmt::format("a launch takes {}", format_quantity(overhead->seconds, "s"))};
  if (device.processor) return {0, "a launch takes no time to speak of"};
  return {stated_launch_s,
          fmt::format("take {} for a launch, which nobody measured here", format_quantity(stated_launch_s, "s"))};
}

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
       "MB", bytes / 1e6, 0.1,
       fmt::format(
           "Both take launch + bytes / B. They are level where bytes = ({} - {}) / (1 / {} - 1 / {}) = {}. Below "
           "it the launch costs more than the memory gains. Measure it: caches of {} serve small arrays faster "
           "and move the crossing up.",
           format_quantity(pair.device_launch.seconds, "s"),
           pair.host_launch.seconds > 0 ? format_quantity(pair.host_launch.seconds, "s") : "0", host_rate, device_rate,
           format_quantity(bytes, "byte"), pair.host.letter)});
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
       "rows", n, 0.1,
       fmt::format(
           "They are level where 2 n^3 (1 / {} - 1 / {}) = {} + 12 n^2 / {}. The launch alone says n = {:.3g}, the "
           "link alone n = 6 / L / (1 / P - 1 / P') = {:.3g}; both together n = {:.3g}, by trying. There the "
           "arithmetic takes {} on {}; on {} it takes {}, the link {}, and the launch {} more.",
           host_rate, device_rate, format_quantity(pair.head_start(), "s"), link_rate,
           std::cbrt(pair.head_start() / 2 / per_flop), 6 / link / per_flop, n,
           format_quantity(2 * n * n * n / pair.at_host.peak, "s"), pair.host.letter, pair.device.letter,
           format_quantity(2 * n * n * n / pair.at_device.peak, "s"), format_quantity(12 * n * n / link, "s"),
           format_quantity(pair.head_start(), "s"))});
}

/// From which size on the first device that is handed its work beats the first processor.
void add_crossings(std::vector<Exercise>& list, std::span<const ExerciseDevice> devices) {
  const auto host = std::ranges::find_if(devices, [](const ExerciseDevice& one) { return one.processor; });
  const auto device = std::ranges::find_if(devices, [](const ExerciseDevice& one) { return !one.processor; });
  if (host == devices.end() || device == devices.end()) return;
  const auto at_host = sides_of(*host, DType::fp32), at_device = sides_of(*device, DType::fp32);
  if (!at_host || !at_device) return;
  const Crossing pair{*host, *device, *at_host, *at_device, launch_of(*host), launch_of(*device)};
  add_streaming(list, pair);
  add_product(list, pair);
}

}  // namespace

double Sides::most(double intensity) const { return std::min(peak, intensity * bandwidth); }

double Sides::time(double flops, double bytes) const { return std::max(flops / peak, bytes / bandwidth); }

std::string Sides::words() const {
  return fmt::format("P = {} ({}), B = {}, ridge P / B = {:.3g} flop/byte", format_quantity(peak, "flop/s"), label,
                     format_quantity(bandwidth, "byte/s"), ridge());
}

std::string Sides::figures(DType dtype) const {
  return fmt::format("the highest {} roof is {} and main memory does {}", to_string(dtype),
                     format_quantity(peak, "flop/s"), format_quantity(bandwidth, "byte/s"));
}

std::optional<Sides> sides_of(const ExerciseDevice& device, DType dtype) {
  for (const Ridge& ridge : ridges(device.machine)) {
    const ComputeRoof& roof = ridge.roof;
    if (roof.dtype != dtype || is_integer(dtype) || roof.at == OperatingPoint::library) continue;
    return Sides{roof.flop_per_s, roof.flop_per_s / ridge.flop_per_byte, roof.label};
  }
  return {};
}

std::string tolerance_text(double tolerance) { return fmt::format("within a factor of {:.4g}", 1 + tolerance); }

std::string_view to_string(Grade grade) { return grade_names.name(grade); }

Grade grade(const Exercise& exercise, std::optional<double> answer) {
  if (!answer) return Grade::missing;
  if (!(*answer > 0) || !std::isfinite(*answer)) return Grade::wrong;
  const double off = std::abs(std::log(*answer / exercise.answer)), limit = std::log1p(exercise.tolerance);
  return off <= limit ? Grade::right : off <= 3 * limit ? Grade::near : Grade::wrong;
}

std::optional<double> pcie_byte_per_s(int generation) {
  if (generation < 3 || generation > 5) return {};
  return 8e9 * std::exp2(generation - 3) * 16 * 128 / 130 / 8;
}

std::vector<Exercise> exercises(const Result& result, std::span<const ExerciseDevice> devices, Operators operators) {
  std::vector<Exercise> list;
  add_ridges(list, devices);
  add_landings(list, result, devices);
  add_ablations(list, result, devices);
  add_fusion(list, result, devices, operators);
  add_other_device(list, devices);
  add_crossings(list, devices);
  return list;
}

}  // namespace gable::questions
