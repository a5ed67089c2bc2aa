#include "core/questions/counters/counter_trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/model/units.hpp"

namespace gable::questions {
namespace {

using interchange::KernelWork;

constexpr double agreement = 0.05;   ///< largest distance from 1 that agrees
constexpr double constancy = 1.1;    ///< largest quotient of two ratios that are called one factor
constexpr double nothing = 0.01;     ///< ratio below which nothing was counted; part of the bytes that is not judged
constexpr double above_caches = 20;  ///< arrays that no cache serves a part of that matters, in sizes of all caches
constexpr double least_bytes = 64.0 * 1024 * 1024;
/// Largest working set over that which the elements are chosen for: triad has three arrays, the others two.
constexpr double largest_share = 1.5;

/// An operator that is run. `edge`: of a product, with all of its three sizes the same; 0 of one over arrays.
struct Kind {
  std::string_view op;
  DType dtype;
  Index cpu_edge, gpu_edge;
  bool on_cpus{true};
};
constexpr std::array kinds = {Kind{"gemm", DType::fp64, 1024, 4096},
                              Kind{"gemm", DType::fp32, 1024, 4096},
                              Kind{"gemm", DType::fp16, 1024, 4096, false},
                              Kind{"gemm", DType::bf16, 1024, 4096, false},
                              Kind{"axpy", DType::fp64, 0, 0},
                              Kind{"axpy", DType::fp32, 0, 0},
                              Kind{"dot", DType::fp64, 0, 0},
                              Kind{"dot", DType::fp32, 0, 0},
                              Kind{"triad", DType::fp64, 0, 0, false},
                              Kind{"triad", DType::fp32, 0, 0, false}};

/// A verdict for people.
std::string sentence(const JudgedMetric& metric) {
  switch (metric.verdict) {
    case CounterVerdict::agrees:
      return "agrees within 5 %";
    case CounterVerdict::constant_factor:
      return fmt::format("a constant factor of {:.3g}", metric.factor.value_or(0));
    case CounterVerdict::wrong:
      return metric.cases > 1 ? fmt::format("wrong: {:.3g} to {:.3g} times", metric.least, metric.most)
                              : fmt::format("wrong: {:.3g} times, in the only operator", metric.most);
    case CounterVerdict::not_counted:
      break;
  }
  return "not counted";
}

std::string_view unit_of(const CounterMetric& metric) {
  return metric.kind == CountedKind::operations ? "flop" : "byte";
}

}  // namespace

std::string CounterCase::name() const { return fmt::format("{} {}", op, to_string(dtype)); }

std::string CounterMetric::title() const {
  switch (kind) {
    case CountedKind::operations:
      return fmt::format("{} flop", to_string(dtype));
    case CountedKind::bytes_read:
      return level + " read";
    case CountedKind::bytes_written:
      return level + " written";
    case CountedKind::bytes_moved:
      return level + " read and written";
    case CountedKind::bytes_inner:
      break;
  }
  return level;
}

std::vector<CounterCase> counter_cases(const DeviceInfo& device, Operators operators) {
  const double wanted = std::max(above_caches * cache_bytes(device), least_bytes);
  const double room = run_memory_bytes(device) / largest_share;
  const bool bytes_known = room <= 0 || wanted <= room;
  const double set = bytes_known ? wanted : room;
  const bool cpu = is_cpu(device);
  std::vector<CounterCase> cases;
  for (const Kind& kind : kinds) {
    if (cpu && !kind.on_cpus) continue;
    const OperatorSpec& spec = find_spec(operators, kind.op);
    const Types& types = types_of(spec, kind.dtype);
    const Index edge = cpu ? kind.cpu_edge : kind.gpu_edge;
    CounterCase one{.op = std::string(kind.op), .params = {}, .dtype = kind.dtype, .truth = {}, .bytes = false};
    if (edge > 0) {
      one.params = {{"m", edge}, {"n", edge}, {"k", edge}};
    } else {
      constexpr Index whole = 1024;
      const auto elements = static_cast<Index>(set / (2 * size_bytes(types.a)));
      one.params = {{"n", std::max(whole, elements / whole * whole)}};
      one.bytes = bytes_known;
    }
    one.truth = spec.work(one.params, types).front();
    cases.push_back(std::move(one));
  }
  return cases;
}

KernelWork work_of_one_run(const KernelWork& before, int fewer, const KernelWork& after, int more) {
  const double runs = more - fewer;
  KernelWork one = after;
  one.bytes_read = (after.bytes_read - before.bytes_read) / runs;
  one.bytes_written = (after.bytes_written - before.bytes_written) / runs;
  for (LevelBytes& level : one.inner) {
    const auto known = std::ranges::find(before.inner, level.level, &LevelBytes::level);
    level.bytes = (level.bytes - (known == before.inner.end() ? 0 : known->bytes)) / runs;
  }
  for (TypedWork& typed : one.operations) {
    const auto known = std::ranges::find_if(before.operations, [&](const TypedWork& other) {
      return other.dtype == typed.dtype && other.unit == typed.unit && other.accumulate == typed.accumulate;
    });
    typed.operations = (typed.operations - (known == before.operations.end() ? 0 : known->operations)) / runs;
  }
  return one;
}

std::vector<CounterReading> readings_of(const CounterCase& one, const KernelWork& one_run,
                                        const std::string& main_memory) {
  std::vector<CounterReading> readings;
  const auto add = [&](CounterMetric metric, double truth, double counted) {
    readings.push_back({std::move(metric), one.name(), truth, counted});
  };
  double operations = 0;
  for (const TypedWork& typed : one_run.operations) {
    if (typed.dtype == one.dtype) operations += typed.operations;
  }
  add({CountedKind::operations, one.dtype, {}}, flops(one.truth), operations);
  if (!one.bytes) return readings;
  const double all = bytes(one.truth);
  if (!one_run.no_direction) {
    if (one.truth.bytes_read > nothing * all)
      add({CountedKind::bytes_read, {}, main_memory}, one.truth.bytes_read, one_run.bytes_read);
    if (one.truth.bytes_written > nothing * all)
      add({CountedKind::bytes_written, {}, main_memory}, one.truth.bytes_written, one_run.bytes_written);
  }
  add({CountedKind::bytes_moved, {}, main_memory}, all, one_run.bytes_read + one_run.bytes_written);
  for (const LevelBytes& level : one_run.inner) add({CountedKind::bytes_inner, {}, level.level}, all, level.bytes);
  return readings;
}

std::vector<JudgedMetric> judge(const std::vector<CounterReading>& readings) {
  std::vector<JudgedMetric> judged;
  for (const CounterReading& reading : readings) {
    const double ratio = reading.ratio();
    const auto known = std::ranges::find(judged, reading.metric, &JudgedMetric::metric);
    if (known == judged.end()) {
      judged.push_back({reading.metric, CounterVerdict::wrong, 1, ratio, ratio, {}});
      continue;
    }
    ++known->cases;
    known->least = std::min(known->least, ratio);
    known->most = std::max(known->most, ratio);
  }
  for (JudgedMetric& metric : judged) {
    if (std::abs(metric.least) < nothing && std::abs(metric.most) < nothing) {
      metric.verdict = CounterVerdict::not_counted;
    } else if (std::abs(metric.least - 1) <= agreement && std::abs(metric.most - 1) <= agreement) {
      metric.verdict = CounterVerdict::agrees;
    } else if (metric.cases > 1 && metric.least > nothing && metric.most <= constancy * metric.least) {
      metric.verdict = CounterVerdict::constant_factor;
      metric.factor = std::sqrt(metric.least * metric.most);
    }
  }
  return judged;
}

Answer answer_of(const CounterTrust& trust) {
  Answer answer{.title = fmt::format("What {} counts on {}, beside what is true", trust.profiler, trust.device),
                .sections = {}};
  answer.add_facts(
      "", "", {{"profiler", trust.profiler}, {"device", trust.device}, {"runs", trust.runs}, {"notes", trust.notes}});
  answer.add_table("metrics", "Metrics", table_of(judge(trust.readings), [](const JudgedMetric& one) -> Answer::Facts {
                     return {{"metric", "metric", one.metric.title()},
                             {"kind", one.metric.kind},
                             {"operators", "operators", one.cases},
                             {"least", one.least},
                             {"most", one.most},
                             {"", "counted / true",
                              one.cases > 1 ? fmt::format("{:.3f} to {:.3f}", one.least, one.most)
                                            : fmt::format("{:.3f}", one.least)},
                             {"factor", or_null(one.factor)},
                             {"verdict", one.verdict},
                             {"", "verdict", sentence(one)}};
                   }));
  answer.add_table("readings", "Operators, one run each",
                   table_of(trust.readings, [](const CounterReading& one) -> Answer::Facts {
                     return {{"operator", "operator", one.of},
                             {"metric", "metric", one.metric.title()},
                             {"true", one.truth},
                             {"counted", one.counted},
                             {"counted_by_true", one.ratio()},
                             {"unit", unit_of(one.metric)},
                             {"", "true", format_quantity(one.truth, unit_of(one.metric))},
                             {"", "counted", format_quantity(one.counted, unit_of(one.metric))},
                             {"", "counted / true", fmt::format("{:.3f}", one.ratio())}};
                   }));
  if (!trust.notes.empty()) answer.add_notes("Notes", trust.notes);
  return answer;
}

}  // namespace gable::questions
