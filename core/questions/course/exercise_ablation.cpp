#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "core/model/point.hpp"
#include "core/model/units.hpp"
#include "core/questions/course/exercise_sides.hpp"
#include "core/questions/predict/what_if.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// Two rows of one device: with something, and without it.
struct Pair {
  const ExerciseDevice* device{};
  const Ceiling *with{}, *without{};
  double gain() const { return with->value.value / without->value.value; }
  Evidence says(double textbook) const {
    return evidence(textbook, with->value.low() / without->value.high(), with->value.high() / without->value.low());
  }
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

/// What a textbook says of a pair, and, where a row of the file shows why a machine does otherwise, that figure.
struct Trial {
  double textbook{};
  Words words{};
  std::optional<double> why{};
};

/// The pair that bears its trial out best is predicted and measured; the first that contradicts it, and shows why, is
/// an exercise of its own.
void add_trials(std::vector<Exercise>& list, const std::string& name, std::span<const Pair> pairs,
                const std::function<Trial(const Pair&)>& trial_of) {
  auto tried = mapped(pairs, [&](const Pair& pair) { return std::pair(pair, trial_of(pair)); });
  std::ranges::stable_sort(tried, {},
                           [](const auto& one) { return std::abs(std::log(one.first.gain() / one.second.textbook)); });
  bool told = false, puzzled = false;
  for (const auto& [pair, trial] : tried) {
    const Estimate &with = pair.with->value, &without = pair.without->value;
    const Words words = trial.words + Words{{"device", pair.device->name},
                                            {"units", units_text(*pair.device, pair.with->threads)},
                                            {"with", {with.value, pair.with->unit}},
                                            {"without", {without.value, pair.without->unit}},
                                            {"gain", pair.gain()},
                                            {"textbook", trial.textbook}};
    const Evidence found = pair.says(trial.textbook);
    if (found == Evidence::bears_out && !std::exchange(told, true)) {
      ask(list, name, pair.device->letter, trial.textbook, words);
      ask(list, name + "/measured", pair.device->letter, pair.gain(), words);
    }
    if (found == Evidence::contradicts && trial.why && !std::exchange(puzzled, true))
      ask(list, name + "/why", pair.device->letter, *trial.why, words);
  }
}

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
bool alike(const Ceiling& a, const Ceiling& b) {
  return a.dtype == b.dtype && a.scope == b.scope && a.threads == b.threads;
}

void add_peak(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  for (const Ceiling& row : result.ceilings) {
    const ExerciseDevice* device = device_of(devices, row);
    if (!device || row.status != Status::ok || !is_plain_vector(row) || !row.theory_at_clock) continue;
    const double theory = *row.theory_at_clock, clock = row.conditions.clock_hz.value_or(0);
    if (!(clock > 0) || evidence(theory, row.value.low(), row.value.high()) != Evidence::bears_out) continue;
    const Words words{{"device", device->name},
                      {"units", units_text(*device, row.threads)},
                      {"threads", row.threads},
                      {"operations", theory / row.threads / clock},
                      {"dtype", to_string(*row.dtype)},
                      {"clock", {clock, "Hz"}},
                      {"theory", {theory, row.unit}},
                      {"rate", {row.value.value, row.unit}},
                      {"one_alone", theory / row.threads / 1e9}};
    ask(list, "peak", device->letter, theory / 1e9, words);
    return ask(list, "peak/measured", device->letter, 100 * row.value.value / theory, words);
  }
}

/// Vectors of numbers against scalar code: contradicted where units half as wide take each vector twice.
Trial simd_trial(const Pair& pair) {
  const double numbers = numbers_of(*pair.with);
  Trial trial{numbers,
              {{"set", pair.with->implementation},
               {"numbers", numbers},
               {"dtype", to_string(*pair.with->dtype)},
               {"twice", 2 * numbers},
               {"half", numbers / 2}}};
  const auto vectors = operations_in_a_cycle(*pair.with), scalars = operations_in_a_cycle(*pair.without);
  if (!vectors || !scalars) return trial;
  const double started = *vectors / numbers / 2, scalar = *scalars / 2;
  trial.words.push_back({"scalars", scalar});
  trial.words.push_back({"clock", {*pair.without->conditions.clock_hz, "Hz"}});
  trial.words.push_back({"clock_with", {*pair.with->conditions.clock_hz, "Hz"}});
  if (scalar > 1.7 * started && scalar < 2.3 * started) trial.why = started;
  return trial;
}

Trial narrower_trial(const Pair& pair) {
  return {
      2,
      {{"narrow", to_string(*pair.with->dtype)}, {"wide", to_string(*pair.without->dtype)}, {"unit", pair.with->name}}};
}

/// Contradicted where multiplications and additions have units of their own.
Trial fma_trial(const Pair& pair) {
  const double numbers = numbers_of(*pair.with);
  Trial trial{2, {{"dtype", to_string(*pair.with->dtype)}, {"numbers", numbers}}};
  const auto with = operations_in_a_cycle(*pair.with), without = operations_in_a_cycle(*pair.without);
  if (!with || !without || numbers == 0 || *without < 0.75 * *with) return trial;
  trial.words.push_back({"fused", *with / numbers / 2});
  trial.words.push_back({"clock", {*pair.without->conditions.clock_hz, "Hz"}});
  trial.why = *without / numbers;
  return trial;
}

/// Loops of an access, and what an ordinary store, which fetches its line, moves for each byte counted.
struct Mix {
  Access access;
  const char* loop;
  double with_fetch;
};
constexpr std::array<Mix, 3> mixes{
    {{Access::write, "a[i] = k: one array is written", 2},
     {Access::copy, "a[i] = b[i]: one array is read, another one written", 3.0 / 2},
     {Access::triad, "a[i] = b[i] + k c[i]: two arrays are read, a third one is written", 4.0 / 3}}};

const Mix* mix_of(const Ceiling& row) { return find_by(mixes, row.access, &Mix::access); }

/// What a memory moves, byte/s: in an update in place, and in the mix that it moves most in.
struct Moved {
  double update{}, most{};
};
using Memory = std::tuple<std::string, std::string, Scope>;  ///< device, level

Memory memory_of(const Ceiling& row) { return {row.device, row.name, row.scope}; }

std::map<Memory, Moved> moved_of(const Result& result) {
  std::map<Memory, Moved> all;
  for (const Ceiling& row : result.ceilings) {
    if (row.status != Status::ok || row.kind != CeilingKind::bandwidth) continue;
    Moved& moved = all[memory_of(row)];
    moved.most = std::max(moved.most, row.value.value);
    if (row.access == Access::update) moved.update = row.value.value;
  }
  return all;
}

/// Contradicted where the fetch is avoided, or where memory moves reads and writes together faster than these stores.
Trial stores_trial(const std::map<Memory, Moved>& memories, const Pair& pair) {
  const Mix& mix = *mix_of(*pair.with);
  const double past = pair.with->value.value, moved = mix.with_fetch * pair.without->value.value;
  const auto [update, most] = memories.at(memory_of(*pair.with));
  std::string shows;
  if (moved > 1.15 * most) {
    shows = fmt::format("More than memory moves in any mix, {} at most: the fetch is avoided.",
                        format_quantity(most, "byte/s"));
  } else if (update > 0 && evidence(moved, update, update) == Evidence::bears_out && past < 0.95 * update) {
    shows = fmt::format(
        "As much as an update in place, which reads and writes every line ({}): the fetch is there, "
        "but memory moves reads and writes together faster than these stores past the caches ({}).",
        format_quantity(update, "byte/s"), format_quantity(past, "byte/s"));
  }
  return {mix.with_fetch,
          {{"access", to_string(mix.access)}, {"memory", pair.with->name}, {"loop", mix.loop}, {"shows", shows}},
          shows.empty() ? std::nullopt : std::optional(moved / 1e9)};
}

/// One operator in several kernels, and in one. Contradicted where each form has another roof, or uses less of it.
void add_fused(std::vector<Exercise>& list, const ExerciseDevice& device, const Sides& sides, const Point& apart,
               const Point& fused, std::string_view form) {
  const auto least = [&](const Point& point) { return sides.time(flops_of(point).value_or(0), *bytes_of(point)); };
  const double gain = apart.time.value / fused.time.value, by_roofs = *apart.bound_s / *fused.bound_s;
  const std::string flops = flops_of(apart) ? format_quantity(*flops_of(apart), "flop") : "next to no arithmetic";
  const Words words =
      words_of(device, apart.types.compute, sides) +
      Words{{"facts",
             fmt::format("{} ({}, {}) runs as {} kernels one after another, each of which writes its results to "
                         "memory, and moves {}; as one kernel it moves {}. Either way it does {}.",
                         apart.op, to_string(apart.types.a), apart.params, launches_of_run(apart),
                         format_quantity(*bytes_of(apart), "byte"), format_quantity(*bytes_of(fused), "byte"), flops)},
            {"operator", apart.op},
            {"fused_operator", fused.op},
            {"kernels", launches_of_run(apart)},
            {"textbook", least(apart) / least(fused)},
            {"gain", gain},
            {"apart_least", {least(apart), "s"}},
            {"fused_least", {least(fused), "s"}},
            {"apart", {apart.time.value, "s"}},
            {"fused", {fused.time.value, "s"}},
            {"fused_rate", {*byte_per_s(fused), "byte/s"}},
            {"limit", apart.limit},
            {"share", 100 * *apart.fraction_of_limit},
            {"fused_limit", fused.limit},
            {"fused_share", 100 * *fused.fraction_of_limit},
            {"reason", evidence(by_roofs, gain, gain) == Evidence::bears_out
                           ? fmt::format("Each by its own roof it is {:.3g}: other mixes of reads and writes, and what "
                                         "caches hold, move at other speeds",
                                         by_roofs)
                           : "One of the two uses less of its roof than the other"}};
  const double answer = form == "fusion"       ? least(apart) / least(fused)
                        : form == "fusion/why" ? *byte_per_s(apart) / 1e9
                                               : gain;
  ask(list, form, device.letter, answer, words);
}

}  // namespace

void add_ablations(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices) {
  add_peak(list, result, devices);
  add_trials(
      list, "simd",
      pairs_of(
          result, devices, [](const Ceiling& row) { return is_plain_vector(row) && numbers_of(row) > 0; },
          [](const Ceiling& one, const Ceiling& row) { return is_compute(one, Unit::scalar) && alike(one, row); }),
      simd_trial);
  add_trials(
      list, "narrower",
      pairs_of(
          result, devices, [](const Ceiling& row) { return row.dtype == DType::fp32 || row.dtype == DType::fp8_e4m3; },
          [](const Ceiling& one, const Ceiling& row) {
            const bool vector = row.dtype == DType::fp32;
            const Unit unit = vector ? Unit::vector : Unit::matrix;
            return one.dtype == (vector ? DType::fp64 : DType::bf16) && is_compute(row, unit) &&
                   is_compute(one, unit) && one.scope == row.scope && one.threads == row.threads;
          }),
      narrower_trial);
  add_trials(list, "fma",
             pairs_of(result, devices, is_plain_vector,
                      [](const Ceiling& one, const Ceiling& row) {
                        return is_compute(one, Unit::vector, "no_fma") && alike(one, row);
                      }),
             fma_trial);
  add_trials(list, "cores",
             pairs_of(
                 result, devices,
                 [](const Ceiling& row) { return is_plain_vector(row) && row.scope != Scope::core && row.threads > 1; },
                 [](const Ceiling& one, const Ceiling& row) {
                   return is_plain_vector(one) && one.scope == Scope::core && one.dtype == row.dtype;
                 }),
             [](const Pair& pair) {
               return Trial{static_cast<double>(pair.with->threads) / pair.without->threads,
                            {{"dtype", to_string(*pair.with->dtype)}}};
             });
  add_trials(list, "stores",
             pairs_of(
                 result, devices,
                 [](const Ceiling& row) {
                   return row.kind == CeilingKind::bandwidth && row.stores == Stores::non_temporal && mix_of(row);
                 },
                 [](const Ceiling& one, const Ceiling& row) {
                   return one.kind == row.kind && memory_of(one) == memory_of(row) && one.stores == Stores::ordinary &&
                          one.access == row.access && one.implementation == row.implementation;
                 }),
             [memories = moved_of(result)](const Pair& pair) { return stores_trial(memories, pair); });
  const auto graphs = pairs_of(result, devices, is_launch, [](const Ceiling& one, const Ceiling&) {
    return one.kind == CeilingKind::overhead && one.name == graph_node_launch;
  });
  const auto graph =
      std::ranges::find_if(graphs, [](const Pair& pair) { return pair.says(pair.gain()) != Evidence::too_uncertain; });
  if (graph == graphs.end()) return;
  ask(list, "graph/measured", graph->device->letter, graph->gain(),
      {{"device", graph->device->name},
       {"launch", graph->with->name},
       {"with", {graph->with->value.value, "s"}},
       {"without", {graph->without->value.value, "s"}}});
}

void add_fusion(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices,
                Operators operators) {
  constexpr double worth_asking = 1.3;
  bool told = false, puzzled = false;
  std::multimap<std::tuple<std::string_view, std::string_view, std::string_view>, const Point*> points;
  for (const Point& point : result.points) points.emplace(std::tie(point.op, point.device, point.params), &point);
  for (const Point& apart : result.points) {
    const OperatorSpec* spec = known_operator(apart, operators);
    const ExerciseDevice* device = device_of(devices, apart);
    const auto judged = [](const Point& one) {
      return one.status == Status::ok && one.fraction_of_limit && one.bound_s;
    };
    if (!judged(apart) || !device || !spec || spec->fused.empty() || !bytes_of(apart)) continue;
    const auto sides = sides_of(*device, apart.types.compute);
    const auto [first, last] = points.equal_range({spec->fused, apart.device, apart.params});
    const auto found = std::find_if(first, last, [&](const auto& entry) {
      const Point& one = *entry.second;
      return judged(one) && one.implementation == apart.implementation && one.types == apart.types &&
             one.scope == apart.scope && one.cold == apart.cold && one.launches == apart.launches &&
             one.graph == apart.graph && bytes_of(one);
    });
    if (!sides || found == last) continue;
    const Point* together = found->second;
    const double flops = flops_of(apart).value_or(0), fused_flops = flops_of(*together).value_or(0);
    const double textbook = sides->time(flops, *bytes_of(apart)) / sides->time(fused_flops, *bytes_of(*together));
    const bool same_work = std::abs(fused_flops - flops) <= 0.01 * flops;
    if (!same_work || textbook < worth_asking) continue;  // it teaches something else than bytes
    const Evidence says =
        evidence(textbook, apart.time.low() / together->time.high(), apart.time.high() / together->time.low());
    if (says == Evidence::bears_out && !std::exchange(told, true)) {
      add_fused(list, *device, *sides, apart, *together, "fusion");
      add_fused(list, *device, *sides, apart, *together, "fusion/measured");
    }
    if (says == Evidence::contradicts && !std::exchange(puzzled, true))
      add_fused(list, *device, *sides, apart, *together, "fusion/why");
  }
}

}  // namespace gable::questions
