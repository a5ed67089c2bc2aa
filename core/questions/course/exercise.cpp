#include "core/questions/course/exercise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/enum_names.hpp"
#include "core/model/point.hpp"
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
