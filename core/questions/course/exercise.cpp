#include "core/questions/course/exercise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "core/model/units.hpp"
#include "core/questions/course/exercise_sides.hpp"

namespace gable::questions {
namespace {

/// Of one device: types whose ridges differ.
void add_ridges(std::vector<Exercise>& list, const ExerciseDevice& device) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<DType, Sides>> asked;
  for (const DType dtype : {DType::fp32, DType::fp64, DType::fp16, DType::bf16, DType::fp8_e4m3}) {
    const auto sides = sides_of(device, dtype);
    const auto alike = [&](const auto& other) { return std::abs(sides->peak / other.second.peak - 1) < 0.1; };
    if (sides && asked.size() < most && std::ranges::none_of(asked, alike)) asked.emplace_back(dtype, *sides);
  }
  for (const auto& [dtype, sides] : asked) {
    const std::string peak = format_quantity(sides.peak, "flop/s"), rate = format_quantity(sides.bandwidth, "byte/s");
    std::vector<Mistake> mistakes;
    for (const auto& [other, its] : asked) {
      if (other != dtype)
        mistakes.push_back({fmt::format("the ridge of {}", to_string(other)), its.ridge(), wrong_way_credit});
    }
    list.push_back({fmt::format("ridge/{}/{}", device.letter, to_string(dtype)),
                    fmt::format("The highest {} roof of {} is {}, its main memory does {}. Where is the ridge?",
                                to_string(dtype), device.name, peak, rate),
                    per_intensity, sides.ridge(), 0.05,
                    fmt::format("The ridge is where both roofs meet: P / B = {} / {} = {:.3g} flop/byte. Work with "
                                "fewer operations for each byte is bound by the memory.",
                                peak, rate, sides.ridge()),
                    ExerciseKind::predict, std::move(mistakes)});
  }
}

std::string name_of(const ExerciseDevice& device, const Point& point) {
  return fmt::format("{} in {} ({}{}{}) on {}", point.op, to_string(point.types.a), point.implementation,
                     point.params.empty() ? "" : ", ", point.params, device.letter);
}

/// A point that moves more than main memory does, because caches hold a part of its data.
void add_cached(std::vector<Exercise>& list, const ExerciseDevice& device, const Point& point, const Sides& sides) {
  const double rate = *byte_per_s(point);
  list.push_back(
      {fmt::format("landing/{}/{}/why", device.letter, point.id),
       fmt::format("{} does {} and must move {}: at {} of main memory it can reach {} at most, says the textbook. The "
                   "machine did {}. Why? How many GB/s did it move?",
                   name_of(device, point), format_quantity(*flops_of(point), "flop"),
                   format_quantity(*bytes_of(point), "byte"), format_quantity(sides.bandwidth, "byte/s"),
                   format_quantity(sides.most(*intensity_of(point)), "flop/s"),
                   format_quantity(*flop_per_s(point), "flop/s")),
       "GB/s", rate / 1e9, 0.1,
       fmt::format("It took {}: {}, more than main memory moves. Its data stayed in a cache: the roof that it meets is "
                   "{}, of which it reaches {:.3g} %.",
                   format_quantity(point.time.value, "s"), format_quantity(rate, "byte/s"), point.limit,
                   100 * *point.fraction_of_limit),
       ExerciseKind::why});
}

void add_landing(std::vector<Exercise>& list, const ExerciseDevice& device, const Point& point, const Sides& sides) {
  const double intensity = *intensity_of(point), most = sides.most(intensity), rate = *flop_per_s(point);
  const Sides faster{sides.peak, 2 * sides.bandwidth, sides.label};
  const double gain = faster.most(intensity) / most;
  const std::string flops = format_quantity(*flops_of(point), "flop"),
                    bytes = format_quantity(*bytes_of(point), "byte"), id = device.letter + "/" + point.id;
  const std::string figures = fmt::format("{} does {} and must move {}. Of {}, {}.", name_of(device, point), flops,
                                          bytes, device.letter, sides.figures(point.types.compute));
  list.push_back({"landing/" + id,
                  figures + " What can it reach at most?",
                  "GFLOP/s",
                  most / 1e9,
                  0.1,
                  fmt::format("I = {} / {} = {:.3g} flop/byte, and min(P, I x B): {}; I x B = {}, so at most {}.",
                              flops, bytes, intensity, sides.words(),
                              format_quantity(intensity * sides.bandwidth, "flop/s"), format_quantity(most, "flop/s")),
                  ExerciseKind::predict,
                  {{"P alone: the memory is left out", sides.peak / 1e9, wrong_way_credit},
                   {"I x B alone: the arithmetic is left out", intensity * sides.bandwidth / 1e9, wrong_way_credit}}});
  list.push_back(
      {"double/" + id,
       figures + " If main memory were twice as fast, how many times as fast could it be at most?",
       times_as_fast,
       gain,
       0.05,
       fmt::format("I = {:.3g} flop/byte. Before min(P, I x B) = {}, after min(P, I x 2B) = {}: {:.3g}. {}", intensity,
                   format_quantity(most, "flop/s"), format_quantity(faster.most(intensity), "flop/s"), gain,
                   gain < 1.001   ? "It is right of the ridge: its arithmetic decides."
                   : gain > 1.999 ? "It is far enough left of the ridge to gain all of it."
                                  : "It meets the ridge on the way."),
       ExerciseKind::predict,
       {{"its memory decides", 2, wrong_way_credit}, {"its arithmetic decides", 1, wrong_way_credit}}});
  if (point.time.high() > 1.2 * point.time.low()) return;
  list.push_back(
      {"landing/" + id + "/measured",
       fmt::format("What share of min(P, I x B) does {} reach? Look its flop/s up in the report.",
                   name_of(device, point)),
       percent, 100 * rate / most, 0.1,
       fmt::format("Measured: {} of {}. All roofs together (every level, unit and launch) name as its limit {}, of "
                   "which it reaches {:.3g} %{}.",
                   format_quantity(rate, "flop/s"), format_quantity(most, "flop/s"), point.limit,
                   100 * *point.fraction_of_limit,
                   point.compared_rounds > 0 ? ", compared round by round, because main memory changed its speed" : ""),
       ExerciseKind::measure});
}

/// One operator of each regime that has both roofs, and one that the caches serve.
void add_landings(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  std::set<Regime> seen;
  std::set<std::string> operators;
  bool cached = false;
  for (const Point& point : result.points) {
    const ExerciseDevice* device = device_of(devices, point);
    const bool judged = point.status == Status::ok && point.regime && point.fraction_of_limit && intensity_of(point);
    if (!device || !judged || *point.regime == Regime::overhead_bound) continue;
    const auto sides = sides_of(*device, point.types.compute);
    if (!sides) continue;
    const double most = sides->most(*intensity_of(point)), least_rate = *flops_of(point) / point.time.high();
    if (least_rate > 1.15 * most) {
      const bool explained = point.limit_kind == LimitKind::bandwidth && *point.fraction_of_limit <= 1.05 &&
                             point.limit_level != device->machine.roofline.levels().back().name;
      if (explained && !std::exchange(cached, true)) add_cached(list, *device, point, *sides);
    } else if (least_rate <= 1.02 * most && !seen.contains(*point.regime) && operators.insert(point.op).second) {
      seen.insert(*point.regime);
      add_landing(list, *device, point, *sides);
    }
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
       times_as_fast,
       gain,
       0.1,
       fmt::format("First: {}, at most {}. Second: {}, at most {}: {:.3g}. The peaks alone would say {:.3g}.",
                   a->words(), format_quantity(a->most(1), "flop/s"), b->words(), format_quantity(b->most(1), "flop/s"),
                   gain, b->peak / a->peak),
       ExerciseKind::predict,
       {{"the peaks alone", b->peak / a->peak, wrong_way_credit}}});
}

/// Slips in units that any answer may have.
void add_slips(Exercise& exercise) {
  const auto slip = [&](const char* name, std::initializer_list<double> factors) {
    for (const double factor : factors) exercise.mistakes.push_back({name, exercise.answer * factor, slip_credit});
  };
  const std::string& unit = exercise.unit;
  const bool of_bytes = unit == "MB" || unit == "GB/s" || unit == per_intensity;
  const bool of_flops = unit == "GFLOP/s" || unit == per_intensity;
  if (of_bytes || of_flops) slip("a prefix too far (tera for giga, giga for mega)", {1e3, 1e-3});
  if (of_flops) slip("a fused multiply-add counted as one operation, or as four", {0.5, 2});
  if (of_bytes) slip("bits for bytes", {8, 0.125});
  if (of_bytes) slip("1024 for 1000", {0x1p30 / 1e9, 1e9 / 0x1p30, 0x1p20 / 1e6, 1e6 / 0x1p20, 1.024, 1 / 1.024});
  if (unit == times_as_fast || unit == per_intensity)
    exercise.mistakes.push_back({"upside down", 1 / exercise.answer, wrong_way_credit});
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

std::string units_text(const ExerciseDevice& device, int threads) {
  return fmt::format("{} {}{}", threads, device.processor ? "core" : "multiprocessor", threads == 1 ? "" : "s");
}

const ExerciseDevice* first_device(std::span<const ExerciseDevice> devices, bool processor) {
  const auto found = std::ranges::find(devices, processor, &ExerciseDevice::processor);
  return found == devices.end() ? nullptr : &*found;
}

Evidence evidence(double textbook, double low, double high) {
  constexpr double agrees = 1.15, wide = 1.4;  ///< factors
  if (!(low > 0) || high > wide * low) return Evidence::too_uncertain;
  return textbook <= high * agrees && low <= textbook * agrees ? Evidence::bears_out : Evidence::contradicts;
}

std::string tolerance_text(double tolerance) { return fmt::format("within a factor of {:.4g}", 1 + tolerance); }

std::optional<double> pcie_byte_per_s(int generation) {
  if (generation < 3 || generation > 5) return {};
  return 8e9 * std::exp2(generation - 3) * 16 * 128 / 130 / 8;
}

std::vector<Exercise> exercises(const Result& result, std::span<const ExerciseDevice> devices, Operators operators,
                                Topic topic) {
  std::vector<Exercise> list;
  for (const ExerciseDevice& device : devices) add_ridges(list, device);
  if (topic != Topic::gpu) {
    add_landings(list, result, devices);
    add_ablations(list, result, devices);
    add_fusion(list, result, devices, operators);
  }
  if (topic != Topic::machine) {
    add_other_device(list, devices);
    add_crossings(list, devices);
    add_serving(list, devices);
  }
  std::ranges::for_each(list, add_slips);
  std::ranges::stable_sort(list, {}, &Exercise::kind);
  return list;
}

}  // namespace gable::questions
