#include "core/analysis/exercise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/analysis/machine_model.hpp"
#include "core/enum_names.hpp"
#include "core/model/point.hpp"
#include "core/model/units.hpp"
#include "core/result/roofs.hpp"

namespace gable::analysis {
namespace {

constexpr auto grade_names = enum_names<Grade>(
    {{Grade::right, "right"}, {Grade::near, "near"}, {Grade::wrong, "wrong"}, {Grade::missing, "missing"}});

/// A device with its letter.
struct Named {
  std::string letter, id, name;
  MachineModel machine;
};

std::vector<Named> devices_of(const Result& result, std::span<const catalogue::Device> datasheets) {
  std::vector<Named> list;
  const auto add = [&](std::string id, std::string name, MachineModel machine) {
    const std::string letter(1, static_cast<char>('A' + list.size() % 26));
    list.push_back({letter, std::move(id), letter + " " + name, std::move(machine)});
  };
  for (const DeviceInfo& device : result.devices)
    add(device.id, device.name.empty() ? device.id : device.name,
        machine_of(result, device.id, widest_scope(result, device.id)));
  for (const catalogue::Device& device : datasheets) add("", device.name + " (datasheet)", machine_of(device));
  return list;
}

/// Main memory and the highest roof of a type: all that the simplest roofline needs.
struct Sides {
  double peak{}, bandwidth{};  ///< flop/s, byte/s
  std::string label;           ///< of the peak
  double ridge() const { return peak / bandwidth; }
  double most(double intensity) const { return std::min(peak, intensity * bandwidth); }
  std::string words() const {
    return fmt::format("P = {} ({}), B = {}, ridge P / B = {:.3g} flop/byte", format_quantity(peak, "flop/s"), label,
                       format_quantity(bandwidth, "byte/s"), ridge());
  }
};

std::optional<Sides> sides_of(const Named& device, DType dtype) {
  for (const Ridge& ridge : ridges(device.machine)) {
    const ComputeRoof& roof = ridge.roof;
    if (roof.dtype != dtype || is_integer(dtype) || roof.at == OperatingPoint::library) continue;
    return Sides{roof.flop_per_s, roof.flop_per_s / ridge.flop_per_byte, roof.label};
  }
  return {};
}

constexpr const char* as_fast = "times as fast";

void add_ridges(std::vector<Exercise>& list, const std::vector<Named>& devices) {
  constexpr std::size_t most = 2;  ///< of one device
  for (const Named& device : devices) {
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

std::string name_of(const Named& device, const Point& point) {
  return fmt::format("{} {} {} ({})", device.letter, point.op, to_string(point.types.a), point.implementation);
}

void add_landing(std::vector<Exercise>& list, const Named& device, const Point& point, const Sides& sides) {
  const double intensity = *intensity_of(point), most = sides.most(intensity);
  const Sides faster{sides.peak, 2 * sides.bandwidth, sides.label};
  const double gain = faster.most(intensity) / most;
  const std::string name = name_of(device, point);
  list.push_back(
      {fmt::format("landing/{}/{}", device.letter, point.id),
       fmt::format(
           "{} does {:.4g} operations for each byte that it must move. The highest roof of its type is {}, main "
           "memory does {}. What can it reach at most?",
           name, intensity, format_quantity(sides.peak, "flop/s"), format_quantity(sides.bandwidth, "byte/s")),
       "GFLOP/s", most / 1e9, 0.1,
       fmt::format("min(P, I x B): {}; I x B = {}, so at most {}. Measured: {}; all roofs together (every level, unit "
                   "and launch) name as its limit {}, of which it reaches {:.3g} %.",
                   sides.words(), format_quantity(intensity * sides.bandwidth, "flop/s"),
                   format_quantity(most, "flop/s"), format_quantity(*flop_per_s(point), "flop/s"), point.limit,
                   100 * *point.fraction_of_limit)});
  list.push_back(
      {fmt::format("double/{}/{}", device.letter, point.id),
       fmt::format("The same {}: if main memory were twice as fast, how many times as fast could it be at most?", name),
       as_fast, gain, 0.05,
       fmt::format("Before min(P, I x B) = {}, after min(P, I x 2B) = {}: {:.3g}. {}", format_quantity(most, "flop/s"),
                   format_quantity(faster.most(intensity), "flop/s"), gain,
                   gain < 1.001   ? "It is right of the ridge: its arithmetic decides."
                   : gain > 1.999 ? "It is far enough left of the ridge to gain all of it."
                                  : "It meets the ridge on the way.")});
}

/// One point of each regime that has both roofs.
void add_landings(std::vector<Exercise>& list, const Result& result, const std::vector<Named>& devices) {
  constexpr std::size_t most = 3;
  std::set<Regime> seen;
  for (const Point& point : result.points) {
    const auto device = std::ranges::find(devices, point.device, &Named::id);
    const bool judged = point.status == Status::ok && point.regime && point.fraction_of_limit && intensity_of(point);
    if (device == devices.end() || !judged || *point.regime == Regime::overhead_bound || seen.contains(*point.regime))
      continue;
    const auto sides = sides_of(*device, point.types.compute);
    if (!sides || seen.size() >= most) continue;
    seen.insert(*point.regime);
    add_landing(list, *device, point, *sides);
  }
}

/// Two rows of one device and scope unless they differ in it on purpose: with something, and without it.
struct Pair {
  const Ceiling *with{}, *without{};
};

template <class With, class Without>
std::optional<Pair> find_pair(const Result& result, const With& with, const Without& without) {
  for (const Ceiling& row : result.ceilings) {
    if (row.status != Status::ok || !figure(row.value.value) || !with(row)) continue;
    for (const Ceiling& other : result.ceilings) {
      const bool good = other.status == Status::ok && figure(other.value.value) && other.device == row.device;
      if (good && without(other, row)) return Pair{&row, &other};
    }
  }
  return {};
}

void add_pair(std::vector<Exercise>& list, const std::vector<Named>& devices, const std::optional<Pair>& pair,
              const std::string& id, const std::string& question, const std::string& words, double tolerance) {
  if (!pair) return;
  const auto device = std::ranges::find(devices, pair->with->device, &Named::id);
  if (device == devices.end()) return;
  const double gain = pair->with->value.value / pair->without->value.value;
  const std::string what = pair->with->dtype ? std::string(to_string(*pair->with->dtype)) : pair->with->name;
  list.push_back({fmt::format("{}/{}", id, device->letter), fmt::format("{}, {}: {}", device->name, what, question),
                  as_fast, gain, tolerance,
                  fmt::format("Measured: {} with and {} without, {:.3g}. {}",
                              format_quantity(pair->with->value.value, pair->with->unit),
                              format_quantity(pair->without->value.value, pair->without->unit), gain, words)});
}

/// What vectors, fused multiply-add, cores and stores past the caches give, one by one.
void add_ablations(std::vector<Exercise>& list, const Result& result, const std::vector<Named>& devices) {
  const auto is_vector = [](const Ceiling& row) {
    const bool wide = row.dtype == DType::fp32 || row.dtype == DType::fp64;
    return row.kind == CeilingKind::compute && row.name == to_string(Unit::vector) && wide &&
           row.at == OperatingPoint::burst;
  };
  const auto plain_vector = [&](const Ceiling& row) { return is_vector(row) && row.variant.empty(); };
  const auto scalar = find_pair(result, plain_vector, [](const Ceiling& one, const Ceiling& row) {
    return one.kind == row.kind && one.name == to_string(Unit::scalar) && one.dtype == row.dtype && one.at == row.at &&
           one.scope == row.scope && one.variant.empty();
  });
  add_pair(list, devices, scalar, "simd", "how many times as fast are its vector units as scalar code?",
           "A vector holds several numbers, and a processor starts about as many vector as scalar instructions.", 0.35);
  const auto unfused = find_pair(result, plain_vector, [&](const Ceiling& one, const Ceiling& row) {
    return is_vector(one) && one.variant == "no_fma" && one.dtype == row.dtype && one.scope == row.scope;
  });
  add_pair(list, devices, unfused, "fma", "how many times as fast is it with fused multiply-add as without?",
           "A fused multiply-add counts as two operations and takes one instruction.", 0.25);
  const auto core = find_pair(
      result, [&](const Ceiling& row) { return plain_vector(row) && row.scope == Scope::node; },
      [&](const Ceiling& one, const Ceiling& row) {
        return plain_vector(one) && one.scope == Scope::core && one.dtype == row.dtype;
      });
  add_pair(list, devices, core, "cores", "how many times as fast is the whole node as one core?",
           "Cores compute by themselves; what they fall short of their number is mostly the clock.", 0.35);
  const auto stores = find_pair(
      result,
      [](const Ceiling& row) { return row.kind == CeilingKind::bandwidth && row.stores == Stores::non_temporal; },
      [](const Ceiling& one, const Ceiling& row) {
        return one.kind == row.kind && one.stores == Stores::ordinary && one.name == row.name &&
               one.access == row.access && one.scope == row.scope;
      });
  add_pair(list, devices, stores, "stores",
           "how many times as fast are stores that go past the caches as ordinary ones?",
           "An ordinary store first fetches the line that it writes to: a copy moves three bytes for two that are "
           "counted, a triad four for three. Hardware that avoids the fetch leaves less to gain.",
           0.25);
}

/// The first operator that ran in several kernels and as one.
void add_fusion(std::vector<Exercise>& list, const Result& result, const std::vector<Named>& devices,
                Operators operators) {
  for (const Point& apart : result.points) {
    const auto spec = std::ranges::find(operators, apart.op, &OperatorSpec::name);
    if (apart.status != Status::ok || spec == operators.end() || (*spec)->fused.empty() || !bytes_of(apart)) continue;
    const auto fused = std::ranges::find_if(result.points, [&](const Point& one) {
      return one.status == Status::ok && one.op == (*spec)->fused && one.device == apart.device &&
             one.params == apart.params && one.types == apart.types && one.scope == apart.scope &&
             one.cold == apart.cold && bytes_of(one);
    });
    const auto device = std::ranges::find(devices, apart.device, &Named::id);
    if (fused == result.points.end() || device == devices.end()) continue;
    const double gain = apart.time.value / fused->time.value;
    list.push_back(
        {fmt::format("fusion/{}", device->letter),
         fmt::format("{}: {} moves {}, as one kernel it moves {}. How many times as fast is it fused?", device->name,
                     apart.op, format_quantity(*bytes_of(apart), "byte"), format_quantity(*bytes_of(*fused), "byte")),
         as_fast, gain, 0.3,
         fmt::format("The bytes alone say {:.3g}, if memory decides both times. Measured: {} and {}, {:.3g}.",
                     *bytes_of(apart) / *bytes_of(*fused), format_quantity(apart.time.value, "s"),
                     format_quantity(fused->time.value, "s"), gain)});
    return;
  }
}

void add_other_device(std::vector<Exercise>& list, const std::vector<Named>& devices) {
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
       as_fast, gain, 0.1,
       fmt::format("First: {}, at most {}. Second: {}, at most {}: {:.3g}. The peaks alone would say {:.3g}.",
                   a->words(), format_quantity(a->most(1), "flop/s"), b->words(), format_quantity(b->most(1), "flop/s"),
                   gain, b->peak / a->peak)});
}

}  // namespace

std::string_view to_string(Grade grade) { return grade_names.name(grade); }

Grade grade(const Exercise& exercise, std::optional<double> answer) {
  if (!answer) return Grade::missing;
  if (!(*answer > 0) || !std::isfinite(*answer)) return Grade::wrong;
  const double off = std::abs(std::log(*answer / exercise.answer)), limit = std::log1p(exercise.tolerance);
  return off <= limit ? Grade::right : off <= 3 * limit ? Grade::near : Grade::wrong;
}

std::vector<Exercise> exercises(const Result& result, Operators operators,
                                std::span<const catalogue::Device> datasheets) {
  const std::vector<Named> devices = devices_of(result, datasheets);
  std::vector<Exercise> list;
  add_ridges(list, devices);
  add_landings(list, result, devices);
  add_ablations(list, result, devices);
  add_fusion(list, result, devices, operators);
  add_other_device(list, devices);
  return list;
}

}  // namespace gable::analysis
