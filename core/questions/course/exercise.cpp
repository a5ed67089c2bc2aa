#include "core/questions/course/exercise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/questions/course/exercise_sides.hpp"
#include "core/sequence.hpp"

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
    ask(list, "ridge", fmt::format("{}/{}", device.letter, to_string(dtype)), sides.ridge(),
        words_of(device, dtype, sides));
    for (const auto& [other, its] : asked) {
      if (other == dtype) continue;
      auto& mistakes = list.back().mistakes;
      mistakes.insert(mistakes.begin(),
                      {fmt::format("the ridge of {}", to_string(other)), its.ridge(), wrong_way_credit});
    }
  }
}

void add_landing(std::vector<Exercise>& list, const ExerciseDevice& device, const Point& point, const Sides& sides,
                 bool cached) {
  const double intensity = *intensity_of(point), most = sides.most(intensity), rate = *flop_per_s(point);
  const double faster = Sides{sides.peak, 2 * sides.bandwidth, ""}.most(intensity);
  const std::string where = device.letter + "/" + point.id;
  const Words words =
      words_of(device, point.types.compute, sides) +
      Words{{"work", fmt::format("{} in {} ({}{}{}) on {}", point.op, to_string(point.types.a), point.implementation,
                                 point.params.empty() ? "" : ", ", point.params, device.letter)},
            {"roof", sides.label},
            {"flops", {*flops_of(point), "flop"}},
            {"bytes", {*bytes_of(point), "byte"}},
            {"intensity", intensity},
            {"slope", {intensity * sides.bandwidth, "flop/s"}},
            {"most", {most, "flop/s"}},
            {"faster", {faster, "flop/s"}},
            {"peak_alone", sides.peak / 1e9},
            {"slope_alone", intensity * sides.bandwidth / 1e9},
            {"one", 1},
            {"two", 2},
            {"rate", {rate, "flop/s"}},
            {"time", {point.time.value, "s"}},
            {"limit", point.limit},
            {"share", 100 * *point.fraction_of_limit}};
  if (cached) return ask(list, "landing/why", where, *byte_per_s(point) / 1e9, words);
  ask(list, "landing", where, most / 1e9, words);
  if (intensity < sides.ridge()) add_bits(list.back());
  ask(list, "double", where, faster / most, words);
  // where other roofs say something else, the report's share is not this one
  const bool same_share = std::abs(rate / most / *point.fraction_of_limit - 1) < 0.08;
  if (same_share && point.time.high() < 1.2 * point.time.low())
    ask(list, "landing/measured", where, 100 * rate / most, words);
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
    const double excess = *flop_per_s(point) / sides->most(*intensity_of(point));
    const bool served_by_cache = point.limit_kind == LimitKind::bandwidth && *point.fraction_of_limit <= 1.05 &&
                                 point.limit_level != device->machine.roofline.levels().back().name;
    const Evidence found =
        evidence(sides->time(*flops_of(point), *bytes_of(point)), point.time.low(), point.time.high());
    if (excess > 1 && found == Evidence::contradicts && served_by_cache && !std::exchange(cached, true))
      add_landing(list, *device, point, *sides, true);
    if (excess > 1.05 || seen.contains(*point.regime) || !operators.insert(point.op).second) continue;
    seen.insert(*point.regime);
    add_landing(list, *device, point, *sides, false);
  }
}

void add_other_device(std::vector<Exercise>& list, std::span<const ExerciseDevice> devices) {
  if (devices.size() < 2) return;
  const auto a = sides_of(devices[0], DType::fp32), b = sides_of(devices[1], DType::fp32);
  if (!a || !b) return;
  ask(list, "other", "fp32", b->most(1) / a->most(1),
      words_of(devices[0], DType::fp32, *a) + Words{{"most", {a->most(1), "flop/s"}},
                                                    {"other", devices[1].name},
                                                    {"other_peak", {b->peak, "flop/s"}},
                                                    {"other_memory", {b->bandwidth, "byte/s"}},
                                                    {"other_most", {b->most(1), "flop/s"}},
                                                    {"peaks_alone", b->peak / a->peak}});
}

}  // namespace

double Sides::most(double intensity) const { return std::min(peak, intensity * bandwidth); }

double Sides::time(double flops, double bytes) const { return std::max(flops / peak, bytes / bandwidth); }

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
  return find_by(devices, processor, &ExerciseDevice::processor);
}

Evidence evidence(double textbook, double low, double high) {
  constexpr double agrees = 1.15, wide = 1.4;  ///< factors
  if (!(low > 0) || high > wide * low) return Evidence::too_uncertain;
  if (textbook > high * agrees || low > textbook * agrees) return Evidence::contradicts;
  return textbook <= low * agrees && high <= textbook * agrees ? Evidence::bears_out : Evidence::too_uncertain;
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
  std::ranges::stable_sort(list, {}, &Exercise::kind);
  return list;
}

}  // namespace gable::questions
