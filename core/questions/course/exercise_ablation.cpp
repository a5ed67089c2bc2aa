#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/model/point.hpp"
#include "core/model/units.hpp"
#include "core/questions/course/exercise_sides.hpp"
#include "core/questions/explain/lever.hpp"
#include "core/questions/predict/what_if.hpp"

namespace gable::questions {
namespace {

/// Two rows of one device: with something, and without it.
struct Pair {
  const ExerciseDevice* device{};
  const Ceiling *with{}, *without{};
};

template <class With, class Without>
std::optional<Pair> find_pair(const Result& result, std::span<const ExerciseDevice> devices, const With& with,
                              const Without& without) {
  for (const Ceiling& row : result.ceilings) {
    const ExerciseDevice* device = device_of(devices, row);
    if (!device || row.status != Status::ok || !figure(row.value.value) || !with(row)) continue;
    for (const Ceiling& other : result.ceilings) {
      const bool good = other.status == Status::ok && figure(other.value.value) && other.device == row.device;
      if (good && without(other, row)) return Pair{device, &row, &other};
    }
  }
  return {};
}

/// The words of an exercise that a pair makes.
struct Words {
  std::string id, question, working;
};

void add_pair(std::vector<Exercise>& list, const Pair& pair, const Words& words, double tolerance) {
  const double gain = pair.with->value.value / pair.without->value.value;
  list.push_back({fmt::format("{}/{}", words.id, pair.device->letter),
                  fmt::format("{}: {}", pair.device->name, words.question), times_as_fast, gain, tolerance,
                  fmt::format("Measured: {} with and {} without, {:.3g}. {}",
                              format_quantity(pair.with->value.value, pair.with->unit),
                              format_quantity(pair.without->value.value, pair.without->unit), gain, words.working)});
}

/// " of 512 bits, 16 numbers," of the kernels' instruction set; nothing where its vectors have no length of their own.
std::string vector_words(const Ceiling& row) {
  constexpr std::array<std::pair<std::string_view, int>, 4> bits{
      {{"sse2", 128}, {"avx2", 256}, {"avx512", 512}, {"neon", 128}}};
  const auto found = std::ranges::find(bits, row.implementation, &std::pair<std::string_view, int>::first);
  if (found == bits.end()) return {};
  return fmt::format(" of {} bits, {} numbers,", found->second,
                     found->second / (8 * static_cast<int>(size_bytes(*row.dtype))));
}

std::string threads_words(const Ceiling& row) {
  return fmt::format("{} core{}", row.threads, row.threads == 1 ? "" : "s");
}

/// Arrays that an access reads and writes, and the lines that an ordinary store fetches beside them.
struct Mix {
  Access access;
  std::string_view text;
};
constexpr std::array<Mix, 3> mixes{
    {{Access::write, "a[i] = k: one array is written"},
     {Access::copy, "a[i] = b[i]: one array is read, another one written"},
     {Access::triad, "a[i] = b[i] + k c[i]: two arrays are read, a third one is written"}}};

bool is_vector(const Ceiling& row) {
  const bool wide = row.dtype == DType::fp32 || row.dtype == DType::fp64;
  return row.kind == CeilingKind::compute && row.name == to_string(Unit::vector) && wide &&
         row.at == OperatingPoint::burst;
}
bool is_plain_vector(const Ceiling& row) { return is_vector(row) && row.variant.empty(); }

void add_simd(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto pair = find_pair(result, devices, is_plain_vector, [](const Ceiling& one, const Ceiling& row) {
    return one.kind == row.kind && one.name == to_string(Unit::scalar) && one.dtype == row.dtype && one.at == row.at &&
           one.scope == row.scope && one.variant.empty();
  });
  if (!pair) return;
  add_pair(
      list, *pair,
      {"simd",
       fmt::format("its {} vectors{} ({} code) do in each instruction what scalar code does for one number. On {}, "
                   "how many times as fast are the vector units as scalar code?",
                   to_string(*pair->with->dtype), vector_words(*pair->with), pair->with->implementation,
                   threads_words(*pair->with)),
       "A vector holds several numbers, and many processors start as many vector as scalar instructions; those with "
       "units of half the width do a vector in two steps, which halves the gain."},
      0.35);
}

void add_fma(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto pair = find_pair(result, devices, is_plain_vector, [](const Ceiling& one, const Ceiling& row) {
    return is_vector(one) && one.variant == "no_fma" && one.dtype == row.dtype && one.scope == row.scope;
  });
  if (!pair) return;
  add_pair(list, *pair,
           {"fma",
            fmt::format("a fused multiply-add does a multiplication and an addition in one {} instruction, without it "
                        "each takes an instruction of its own. How many times as fast is it with fused multiply-add?",
                        to_string(*pair->with->dtype)),
            "A fused multiply-add counts as two operations and takes one instruction."},
           0.25);
}

void add_cores(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto pair = find_pair(
      result, devices,
      [](const Ceiling& row) { return is_plain_vector(row) && row.scope != Scope::core && row.threads > 1; },
      [](const Ceiling& one, const Ceiling& row) {
        return is_plain_vector(one) && one.scope == Scope::core && one.dtype == row.dtype;
      });
  if (!pair) return;
  add_pair(list, *pair,
           {"cores",
            fmt::format("its {} vector units were run on one core alone and on {}. How many times as fast are all of "
                        "them together as the one?",
                        to_string(*pair->with->dtype), threads_words(*pair->with)),
            "Cores compute by themselves; what they fall short of their number is mostly the clock."},
           0.35);
}

void add_stores(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto pair = find_pair(
      result, devices,
      [](const Ceiling& row) {
        return row.kind == CeilingKind::bandwidth && row.stores == Stores::non_temporal &&
               std::ranges::find(mixes, row.access, &Mix::access) != mixes.end();
      },
      [](const Ceiling& one, const Ceiling& row) {
        return one.kind == row.kind && one.stores == Stores::ordinary && one.name == row.name &&
               one.access == row.access && one.scope == row.scope;
      });
  if (!pair) return;
  const auto mix = std::ranges::find(mixes, pair->with->access, &Mix::access);
  add_pair(list, *pair,
           {"stores",
            fmt::format("a {} in {} ({}). An ordinary store first fetches the line that it writes to, one past the "
                        "caches does not. How many times as fast is it with stores past the caches?",
                        to_string(mix->access), pair->with->name, mix->text),
            "The fetch is traffic beside what is counted: a write moves two bytes for each that is counted, a copy "
            "three for two, a triad four for three. Hardware that avoids the fetch leaves less to gain."},
           0.25);
}

}  // namespace

void add_ablations(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  add_simd(list, result, devices);
  add_fma(list, result, devices);
  add_cores(list, result, devices);
  add_stores(list, result, devices);
}

void add_fusion(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices,
                Operators operators) {
  for (const Point& apart : result.points) {
    const OperatorSpec* spec = known_operator(apart, operators);
    const ExerciseDevice* device = device_of(devices, apart);
    if (apart.status != Status::ok || !device || !spec || spec->fused.empty() || !bytes_of(apart)) continue;
    const auto sides = sides_of(*device, apart.types.compute);
    const auto together = std::ranges::find_if(result.points, [&](const Point& one) {
      return one.status == Status::ok && one.op == spec->fused && one.device == apart.device &&
             one.implementation == apart.implementation && one.params == apart.params && one.types == apart.types &&
             one.scope == apart.scope && one.cold == apart.cold && one.launches == apart.launches &&
             one.graph == apart.graph && bytes_of(one);
    });
    if (!sides || together == result.points.end()) continue;
    const double bytes = *bytes_of(apart), fused_bytes = *bytes_of(*together);
    const double flops = flops_of(apart).value_or(0), fused_flops = flops_of(*together).value_or(0),
                 gain = apart.time.value / together->time.value;
    const std::string moved = format_quantity(bytes, "byte"), fused_moved = format_quantity(fused_bytes, "byte");
    const std::string done = flops > 0 ? format_quantity(flops, "flop") : "next to no arithmetic";
    const std::string work = fused_flops > 0 && fused_flops < 0.99 * flops
                                 ? fmt::format("It does {} apart and {} as one, which leaves work out", done,
                                               format_quantity(fused_flops, "flop"))
                                 : fmt::format("Either way it does {}", done);
    list.push_back(
        {fmt::format("fusion/{}", device->letter),
         fmt::format(
             "{} ({}, {}) runs as {} kernels one after another, each of which writes its results to memory, and "
             "moves {}; as one kernel it moves {}. {}. Of {}, {}. How many times as fast is "
             "it as one kernel?",
             apart.op, to_string(apart.types.a), apart.params, launches_of_run(apart), moved, fused_moved, work,
             device->name, sides->figures(apart.types.compute)),
         times_as_fast, gain, 0.3,
         fmt::format(
             "By the roofs apart: max(flop / P, byte / B) = {}, as one: {}, so {:.3g}; the bytes alone say {} / "
             "{} = {:.3g}. Measured, and what counts as the answer: {} / {} = {:.3g}.",
             format_quantity(sides->time(flops, bytes), "s"),
             format_quantity(sides->time(fused_flops, fused_bytes), "s"),
             sides->time(flops, bytes) / sides->time(fused_flops, fused_bytes), moved, fused_moved, bytes / fused_bytes,
             format_quantity(apart.time.value, "s"), format_quantity(together->time.value, "s"), gain)});
    return;
  }
}

}  // namespace gable::questions
