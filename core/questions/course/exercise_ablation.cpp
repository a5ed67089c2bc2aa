#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/model/point.hpp"
#include "core/model/units.hpp"
#include "core/questions/course/exercise_sides.hpp"
#include "core/questions/predict/what_if.hpp"

namespace gable::questions {
namespace {

/// Two rows of one device: with something, and without it.
struct Pair {
  const ExerciseDevice* device{};
  const Ceiling *with{}, *without{};
  double gain() const { return with->value.value / without->value.value; }
};

template <class With, class Without>
std::vector<Pair> pairs_of(const Result& result, std::span<const ExerciseDevice> devices, const With& with,
                           const Without& without) {
  std::vector<Pair> pairs;
  for (const Ceiling& row : result.ceilings) {
    const ExerciseDevice* device = device_of(devices, row);
    if (!device || row.status != Status::ok || !figure(row.value.value) || !with(row)) continue;
    for (const Ceiling& other : result.ceilings) {
      const bool good = other.status == Status::ok && figure(other.value.value) && other.device == row.device;
      if (good && without(other, row)) pairs.push_back({device, &row, &other});
    }
  }
  return pairs;
}

/// What a textbook says of a pair.
struct Trial {
  std::string premise;  ///< "vectors hold 8 numbers"
  std::string asks;     ///< "How many times as fast are the vector units as scalar code?"
  double textbook{};
  std::string because{};
  std::string rows;  ///< to be set beside each other in the report
  std::vector<Mistake> mistakes{};
};

/// Why a machine does otherwise: a figure that the file shows it by.
struct Why {
  std::string asks, unit;
  double answer{};
  std::string shows;
};

/// The first pair that bears its trial out is predicted and measured; the first that contradicts it, and shows why, is
/// an exercise of its own.
void add_trials(std::vector<Exercise>& list, const std::string& name, const std::vector<Pair>& pairs,
                const std::function<Trial(const Pair&)>& trial_of,
                const std::function<std::optional<Why>(const Pair&, double textbook)>& why_of) {
  bool told = false, puzzled = false;
  for (const Pair& pair : pairs) {
    const Trial trial = trial_of(pair);
    const double gain = pair.gain();
    const Estimate &with = pair.with->value, &without = pair.without->value;
    const Evidence found = evidence(trial.textbook, with.low() / without.high(), with.high() / without.low());
    const std::string id = fmt::format("{}/{}", name, pair.device->letter),
                      measured = fmt::format("Measured: {} with and {} without, {:.3g}.",
                                             format_quantity(with.value, pair.with->unit),
                                             format_quantity(without.value, pair.without->unit), gain);
    if (found == Evidence::bears_out && !std::exchange(told, true)) {
      list.push_back(
          {id, fmt::format("{}: {}. {} Say what the textbook says.", pair.device->name, trial.premise, trial.asks),
           times_as_fast, trial.textbook, 0.05, fmt::format("{} {}", trial.because, measured), ExerciseKind::predict,
           trial.mistakes});
      list.push_back({id + "/measured",
                      fmt::format("{}: measure it, or set {} beside each other in the report. {}", pair.device->name,
                                  trial.rows, trial.asks),
                      times_as_fast, gain, 0.1, measured, ExerciseKind::measure});
    }
    if (found != Evidence::contradicts || puzzled) continue;
    if (const auto why = why_of(pair, trial.textbook)) {
      puzzled = true;
      list.push_back({id + "/why",
                      fmt::format("{}: {}. {} The textbook says {:.3g}, and the machine {:.3g}. Why? {}",
                                  pair.device->name, trial.premise, trial.asks, trial.textbook, gain, why->asks),
                      why->unit, why->answer, 0.1, fmt::format("{} {}", why->shows, measured), ExerciseKind::why});
    }
  }
}

std::optional<Why> no_reason(const Pair&, double) { return {}; }

/// How many numbers a vector of the kernels' instruction set holds; 0 where its vectors have no length of their own.
int numbers_of(const Ceiling& row) {
  constexpr std::array<std::pair<std::string_view, int>, 4> bits{
      {{"sse2", 128}, {"avx2", 256}, {"avx512", 512}, {"neon", 128}}};
  const auto found = std::ranges::find(bits, row.implementation, &std::pair<std::string_view, int>::first);
  return found == bits.end() ? 0 : found->second / (8 * static_cast<int>(size_bytes(*row.dtype)));
}

/// Of one core, by the clock that was observed; nothing where none was.
std::optional<double> operations_in_a_cycle(const Ceiling& row) {
  if (!row.conditions.clock_hz || row.threads < 1) return {};
  return row.value.value / row.threads / *row.conditions.clock_hz;
}

bool is_compute(const Ceiling& row, Unit unit, std::string_view variant = "") {
  return row.kind == CeilingKind::compute && row.name == to_string(unit) && row.at == OperatingPoint::burst &&
         row.variant == variant && !row.imported;
}
bool is_plain_vector(const Ceiling& row) {
  return is_compute(row, Unit::vector) && (row.dtype == DType::fp32 || row.dtype == DType::fp64);
}

void add_peak(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  for (const Ceiling& row : result.ceilings) {
    const ExerciseDevice* device = device_of(devices, row);
    if (!device || row.status != Status::ok || !is_plain_vector(row) || !row.theory_at_clock) continue;
    const double theory = *row.theory_at_clock, clock = row.conditions.clock_hz.value_or(0);
    if (!(clock > 0) || evidence(theory, row.value.low(), row.value.high()) != Evidence::bears_out) continue;
    const std::string units = units_text(*device, row.threads), type(to_string(*row.dtype));
    list.push_back(
        {"peak/" + device->letter,
         fmt::format("{} has {}, each of which starts {:.3g} operations in {} a cycle (a fused multiply-add is two) at "
                     "{:.3g} GHz. What is P?",
                     device->name, units, theory / row.threads / clock, type, clock / 1e9),
         "GFLOP/s",
         theory / 1e9,
         0.05,
         fmt::format("{} x {:.3g} x {:.3g} GHz = {}. Measured: {}.", row.threads, theory / row.threads / clock,
                     clock / 1e9, format_quantity(theory, row.unit), format_quantity(row.value.value, row.unit)),
         ExerciseKind::predict,
         {{device->processor ? "one core alone" : "one multiprocessor alone", theory / row.threads / 1e9,
           wrong_way_credit}}});
    list.push_back(
        {"peak/" + device->letter + "/measured",
         fmt::format("{}: what share of that did its {} vector units reach? Measure it, or look it up in "
                     "the report.",
                     device->name, type),
         percent, 100 * row.value.value / theory, 0.1,
         fmt::format("{} of {}.", format_quantity(row.value.value, row.unit), format_quantity(theory, row.unit)),
         ExerciseKind::measure});
    return;
  }
}

void add_simd(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto pairs = pairs_of(
      result, devices, [](const Ceiling& row) { return is_plain_vector(row) && numbers_of(row) > 0; },
      [](const Ceiling& one, const Ceiling& row) {
        return is_compute(one, Unit::scalar) && one.dtype == row.dtype && one.scope == row.scope &&
               one.threads == row.threads;
      });
  const auto trial = [](const Pair& pair) {
    const int numbers = numbers_of(*pair.with);
    const std::string type(to_string(*pair.with->dtype));
    return Trial{
        fmt::format("one {} instruction does for a vector of {} bits of {} numbers what a scalar one does for "
                    "a single number",
                    pair.with->implementation, 8 * numbers * static_cast<int>(size_bytes(*pair.with->dtype)), type),
        "How many times as fast are the vector units as scalar code?",
        static_cast<double>(numbers),
        fmt::format("A vector holds {} numbers.", numbers),
        fmt::format("vector {0} and scalar {0}", type),
        {{"the numbers of a type half or twice as wide", numbers * 2.0, wrong_way_credit},
         {"the numbers of a type half or twice as wide", numbers / 2.0, wrong_way_credit}}};
  };
  const auto why = [](const Pair& pair, double numbers) -> std::optional<Why> {
    const auto vectors = operations_in_a_cycle(*pair.with), scalars = operations_in_a_cycle(*pair.without);
    if (!vectors || !scalars) return {};
    const double started = *vectors / numbers / 2, scalar = *scalars / 2;
    if (scalar < 1.7 * started || scalar > 2.3 * started) return {};
    return Why{
        fmt::format("Scalar code did {}, on {} at {:.3g} GHz: {:.3g} fused multiply-adds a cycle and core. The "
                    "vectors did {} at {:.3g} GHz. How many vector instructions did a core start in a cycle?",
                    format_quantity(pair.without->value.value, "flop/s"), units_text(*pair.device, pair.with->threads),
                    *pair.without->conditions.clock_hz / 1e9, scalar, format_quantity(pair.with->value.value, "flop/s"),
                    *pair.with->conditions.clock_hz / 1e9),
        "a cycle", started,
        fmt::format("{:.3g} against {:.3g} scalar ones: the units are half as wide as the vectors, and each "
                    "vector takes them twice.",
                    started, scalar)};
  };
  add_trials(list, "simd", pairs, trial, why);
}

/// A type of half the width: fp32 for fp64 in vectors, fp8 for 16 bits in matrix units.
void add_narrower(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto pairs = pairs_of(
      result, devices, [](const Ceiling& row) { return row.dtype == DType::fp32 || row.dtype == DType::fp8_e4m3; },
      [](const Ceiling& one, const Ceiling& row) {
        const bool vector = row.dtype == DType::fp32 && one.dtype == DType::fp64;
        const bool matrix = row.dtype == DType::fp8_e4m3 && one.dtype == DType::bf16;
        const Unit unit = vector ? Unit::vector : Unit::matrix;
        return (vector || matrix) && is_compute(row, unit) && is_compute(one, unit) && one.scope == row.scope &&
               one.threads == row.threads;
      });
  const auto trial = [](const Pair& pair) {
    const std::string narrow(to_string(*pair.with->dtype)), wide(to_string(*pair.without->dtype));
    return Trial{fmt::format("a number of {} takes half the room of one of {}, in a register too", narrow, wide),
                 fmt::format("How many times as fast are its {} units in {} as in {}?", pair.with->name, narrow, wide),
                 2, "Registers and units of the same width take twice as many.",
                 fmt::format("{0} {1} and {0} {2}", pair.with->name, narrow, wide)};
  };
  add_trials(list, "narrower", pairs, trial, no_reason);
}

void add_fma(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto pairs = pairs_of(result, devices, is_plain_vector, [](const Ceiling& one, const Ceiling& row) {
    return is_compute(one, Unit::vector, "no_fma") && one.dtype == row.dtype && one.scope == row.scope &&
           one.threads == row.threads;
  });
  const auto trial = [](const Pair& pair) {
    const std::string type(to_string(*pair.with->dtype));
    return Trial{fmt::format("a fused multiply-add does a multiplication and an addition in one {} instruction, "
                             "without it each takes an instruction of its own",
                             type),
                 "How many times as fast is it with fused multiply-add?", 2,
                 "It counts as two operations and takes one instruction.",
                 fmt::format("vector {0} and vector {0} no_fma", type)};
  };
  const auto why = [](const Pair& pair, double) -> std::optional<Why> {
    const auto with = operations_in_a_cycle(*pair.with), without = operations_in_a_cycle(*pair.without);
    const int numbers = numbers_of(*pair.with);
    if (!with || !without || numbers == 0 || *without < 0.75 * *with) return {};
    const double fused = *with / numbers / 2, apart = *without / numbers;
    return Why{
        fmt::format("Without it an instruction does one operation on {} numbers, and {} at {:.3g} GHz did {}. "
                    "How many instructions did a core start in a cycle?",
                    numbers, units_text(*pair.device, pair.with->threads), *pair.without->conditions.clock_hz / 1e9,
                    format_quantity(pair.without->value.value, "flop/s")),
        "a cycle", apart,
        fmt::format("{:.3g}, and {:.3g} fused ones: multiplications and additions have units of their own, "
                    "which work at the same time.",
                    apart, fused)};
  };
  add_trials(list, "fma", pairs, trial, why);
}

void add_cores(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto pairs = pairs_of(
      result, devices,
      [](const Ceiling& row) { return is_plain_vector(row) && row.scope != Scope::core && row.threads > 1; },
      [](const Ceiling& one, const Ceiling& row) {
        return is_plain_vector(one) && one.scope == Scope::core && one.dtype == row.dtype;
      });
  const auto trial = [](const Pair& pair) {
    const std::string type(to_string(*pair.with->dtype));
    return Trial{fmt::format("its {} vector units were run on one core alone and on {}", type,
                             units_text(*pair.device, pair.with->threads)),
                 "How many times as fast are all of them together as the one?",
                 static_cast<double>(pair.with->threads) / pair.without->threads, "Cores compute by themselves.",
                 fmt::format("vector {} of both scopes", type)};
  };
  const auto why = [](const Pair& pair, double cores) -> std::optional<Why> {
    const auto all = pair.with->conditions.clock_hz, one = pair.without->conditions.clock_hz;
    if (!all || !one || evidence(cores * *all / *one, pair.gain(), pair.gain()) != Evidence::bears_out) return {};
    return Why{fmt::format("One core ran at {:.3g} GHz, all together at {:.3g} GHz. What share is left?", *one / 1e9,
                           *all / 1e9),
               percent, 100 * *all / *one,
               fmt::format("{:.3g} of {:.3g} GHz: with all cores at work the clock falls.", *all / 1e9, *one / 1e9)};
  };
  add_trials(list, "cores", pairs, trial, why);
}

/// Arrays that an access reads and writes, and what an ordinary store, which fetches its line, moves for each byte
/// counted.
struct Mix {
  Access access;
  std::string_view text;
  double with_fetch;
};
constexpr std::array<Mix, 3> mixes{
    {{Access::write, "a[i] = k: one array is written", 2},
     {Access::copy, "a[i] = b[i]: one array is read, another one written", 3.0 / 2},
     {Access::triad, "a[i] = b[i] + k c[i]: two arrays are read, a third one is written", 4.0 / 3}}};

const Mix* mix_of(const Ceiling& row) {
  const auto found = std::ranges::find(mixes, row.access, &Mix::access);
  return found == mixes.end() ? nullptr : &*found;
}

void add_stores(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto same_memory = [](const Ceiling& one, const Ceiling& row) {
    return one.kind == row.kind && one.name == row.name && one.scope == row.scope && one.device == row.device;
  };
  const auto pairs = pairs_of(
      result, devices,
      [](const Ceiling& row) {
        return row.kind == CeilingKind::bandwidth && row.stores == Stores::non_temporal && mix_of(row);
      },
      [&](const Ceiling& one, const Ceiling& row) {
        return same_memory(one, row) && one.stores == Stores::ordinary && one.access == row.access &&
               one.implementation == row.implementation;
      });
  const auto trial = [](const Pair& pair) {
    const Mix& mix = *mix_of(*pair.with);
    const std::string access(to_string(mix.access));
    return Trial{
        fmt::format("a {} in {} ({}). An ordinary store first fetches the line that it writes to, one past "
                    "the caches does not",
                    access, pair.with->name, mix.text),
        "How many times as fast is it with stores past the caches?", mix.with_fetch,
        fmt::format("With the fetch a {} moves {:.3g} times the bytes that are counted.", access, mix.with_fetch),
        fmt::format("{0} {1} ordinary and {0} {1} non_temporal", pair.with->name, access)};
  };
  const auto why = [&](const Pair& pair, double with_fetch) -> std::optional<Why> {
    const double ordinary = pair.without->value.value, past = pair.with->value.value, moved = with_fetch * ordinary;
    double update = 0, most = 0;
    for (const Ceiling& row : result.ceilings) {
      if (row.status != Status::ok || !same_memory(row, *pair.with)) continue;
      most = std::max(most, row.value.value);
      if (row.access == Access::update) update = row.value.value;
    }
    std::string shows;
    if (moved > 1.15 * most)
      shows = fmt::format("More than memory moves in any mix, {} at most: the fetch is avoided.",
                          format_quantity(most, "byte/s"));
    else if (update > 0 && evidence(moved, update, update) == Evidence::bears_out && past < 0.95 * update)
      shows = fmt::format(
          "As much as an update in place, which reads and writes every line ({}): the fetch is there, "
          "but memory moves reads and writes together faster than these stores past the caches ({}).",
          format_quantity(update, "byte/s"), format_quantity(past, "byte/s"));
    if (shows.empty()) return {};
    return Why{fmt::format("Counted without the fetch the ordinary stores did {}. How many GB/s did memory move if "
                           "each line was fetched? Compare it with the other mixes in the report.",
                           format_quantity(ordinary, "byte/s")),
               "GB/s", moved / 1e9,
               fmt::format("{:.3g} x {}. {}", with_fetch, format_quantity(ordinary, "byte/s"), shows)};
  };
  add_trials(list, "stores", pairs, trial, why);
}

/// A launch against a kernel of a replayed graph.
void add_graph(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  const auto pairs = pairs_of(
      result, devices, [](const Ceiling& row) { return is_launch(row); },
      [](const Ceiling& one, const Ceiling&) {
        return one.kind == CeilingKind::overhead && one.name == graph_node_launch;
      });
  if (pairs.empty()) return;
  const Pair& pair = pairs.front();
  list.push_back({"graph/" + pair.device->letter,
                  fmt::format("{}: how many times as long as a kernel of a replayed graph (graph_node) does one take "
                              "that is launched by itself ({})? Measure it, or look both up in the report.",
                              pair.device->name, pair.with->name),
                  "times as long", pair.gain(), 0.1,
                  fmt::format("{} and {}: a graph is handed over once.", format_quantity(pair.with->value.value, "s"),
                              format_quantity(pair.without->value.value, "s")),
                  ExerciseKind::measure});
}

/// One operator in several kernels, and in one.
struct Fusion {
  const Point &apart, &together;
  Sides sides;
};

std::string fusion_facts(const Fusion& fusion) {
  const auto& [apart, together, sides] = fusion;
  return fmt::format(
      "{} ({}, {}) runs as {} kernels one after another, each of which writes its results to memory, and moves {}; as "
      "one kernel it moves {}. Either way it does {}.",
      apart.op, to_string(apart.types.a), apart.params, launches_of_run(apart),
      format_quantity(*bytes_of(apart), "byte"), format_quantity(*bytes_of(together), "byte"),
      flops_of(apart) ? format_quantity(*flops_of(apart), "flop") : "next to no arithmetic");
}

void add_fused(std::vector<Exercise>& list, const ExerciseDevice& device, const Fusion& fusion, double textbook) {
  const auto& [apart, together, sides] = fusion;
  const std::string facts =
      fmt::format("{} Of {}, {}.", fusion_facts(fusion), device.name, sides.figures(apart.types.compute));
  const std::string least = format_quantity(sides.time(flops_of(apart).value_or(0), *bytes_of(apart)), "s"),
                    least_fused = format_quantity(sides.time(flops_of(together).value_or(0), *bytes_of(together)), "s");
  const double gain = apart.time.value / together.time.value;
  const std::string measured = fmt::format("Measured: {} / {} = {:.3g}.", format_quantity(apart.time.value, "s"),
                                           format_quantity(together.time.value, "s"), gain);
  list.push_back({"fusion/" + device.letter, facts + " How many times as fast is it as one kernel, by the roofs?",
                  times_as_fast, textbook, 0.1,
                  fmt::format("max(flop / P, byte / B) is {} apart and {} as one: {:.3g}. {}", least, least_fused,
                              textbook, measured)});
  list.push_back({"fusion/" + device.letter + "/measured",
                  fmt::format("How many times as fast is {} as one kernel ({})? Measure it, or look both times up in "
                              "the report.",
                              apart.op, together.op),
                  times_as_fast, gain, 0.1, measured, ExerciseKind::measure});
}

void add_unlike_textbook(std::vector<Exercise>& list, const ExerciseDevice& device, const Fusion& fusion,
                         double textbook) {
  const auto& [apart, together, sides] = fusion;
  const double rate = *bytes_of(apart) / apart.time.value, fused = *bytes_of(together) / together.time.value,
               gain = apart.time.value / together.time.value, by_roofs = *apart.bound_s / *together.bound_s;
  const std::string reason =
      evidence(by_roofs, gain, gain) == Evidence::bears_out
          ? fmt::format(
                "Each by its own roof it is {:.3g}: memory moves other mixes of reads and writes, and caches "
                "what they hold, at other speeds",
                by_roofs)
          : "One of the two kernels uses less of its roof than the other";
  list.push_back(
      {"fusion/" + device.letter + "/why",
       fmt::format("{} The roofs of {} say that it is {:.3g} times as fast as one kernel, and the machine {:.3g}: it "
                   "took {} and {}. Why? How many GB/s did it move as {} kernels?",
                   fusion_facts(fusion), device.name, textbook, gain, format_quantity(apart.time.value, "s"),
                   format_quantity(together.time.value, "s"), launches_of_run(apart)),
       "GB/s", rate / 1e9, 0.1,
       fmt::format("{}, and {} as one kernel. {}: apart its limit is {}, of which it reaches {:.3g} %, as one {}, of "
                   "which it reaches {:.3g} %.",
                   format_quantity(rate, "byte/s"), format_quantity(fused, "byte/s"), reason, apart.limit,
                   100 * *apart.fraction_of_limit, together.limit, 100 * *together.fraction_of_limit),
       ExerciseKind::why});
}

}  // namespace

void add_ablations(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  add_peak(list, result, devices);
  add_simd(list, result, devices);
  add_narrower(list, result, devices);
  add_fma(list, result, devices);
  add_cores(list, result, devices);
  add_stores(list, result, devices);
  add_graph(list, result, devices);
}

void add_fusion(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices,
                Operators operators) {
  constexpr double worth_asking = 1.3;
  bool told = false, puzzled = false;
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
    const double flops = flops_of(apart).value_or(0), fused_flops = flops_of(*together).value_or(0);
    const double textbook = sides->time(flops, *bytes_of(apart)) / sides->time(fused_flops, *bytes_of(*together));
    const bool same_work = fused_flops >= 0.99 * flops && fused_flops <= 1.01 * flops;
    if (!same_work || textbook < worth_asking) continue;  // it teaches something else than bytes
    const Fusion fusion{apart, *together, *sides};
    const Evidence found =
        evidence(textbook, apart.time.low() / together->time.high(), apart.time.high() / together->time.low());
    if (found == Evidence::bears_out && !std::exchange(told, true)) add_fused(list, *device, fusion, textbook);
    const bool judged = apart.fraction_of_limit && together->fraction_of_limit && apart.bound_s && together->bound_s;
    if (found == Evidence::contradicts && judged && !std::exchange(puzzled, true))
      add_unlike_textbook(list, *device, fusion, textbook);
  }
}

}  // namespace gable::questions
