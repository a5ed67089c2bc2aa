#include "benchmarks/noisy_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "core/measure/statistics.hpp"
#include "core/model/work.hpp"
#include "core/row_item.hpp"
#include "core/verdict/memory_speed.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::bench {
namespace {

/// By ascending fraction of reads.
constexpr Access mixes[] = {Access::write, Access::copy, Access::triad, Access::read};

/// The one or two measured mixes that a fraction of reads lies at or between.
std::vector<Access> enclosing(double fraction) {
  for (std::size_t i = 0; i + 1 < std::size(mixes); ++i) {
    if (fraction <= read_fraction(mixes[i])) return {mixes[i]};
    if (fraction < read_fraction(mixes[i + 1])) return {mixes[i], mixes[i + 1]};
  }
  return {Access::read};
}

class Rows {
 public:
  Rows(const DeviceInfo& device, int threads) : device_(device), threads_(threads) {}

  void add_compute(Unit unit, DType dtype, DType accumulate) {
    const bool special = !is_flop(unit);
    Ceiling row = new_row(device_, Scope::node, threads_, CeilingKind::compute, std::string(to_string(unit)),
                          special || is_integer(dtype) ? "op/s" : "flop/s");
    row.dtype = dtype;
    if (!special) row.accumulate = accumulate;
    row.at = OperatingPoint::burst;
    add(std::move(row));
  }
  void add_stream(const std::string& level, Access access, Stores stores) {
    Ceiling row = new_row(device_, Scope::node, threads_, CeilingKind::bandwidth, level, "byte/s");
    row.access = access;
    row.stores = stores;
    row.at = OperatingPoint::sustained;
    add(std::move(row));
  }
  void add_launch() {
    Ceiling row = new_row(device_, Scope::node, threads_, CeilingKind::overhead, "kokkos_launch", "s");
    add(std::move(row));
  }
  std::vector<Ceiling> take() { return std::move(rows_); }

 private:
  void add(Ceiling row) {
    row.id = ceiling_id(row);
    if (std::ranges::find(rows_, row.id, &Ceiling::id) == rows_.end()) rows_.push_back(std::move(row));
  }

  const DeviceInfo& device_;
  int threads_;
  std::vector<Ceiling> rows_;
};

void add_compute(Rows& rows, const UnitWork& work, const Types& types) {
  if (!(work.operations > 0)) return;
  if (work.unit == Unit::exp) return rows.add_compute(work.unit, types.accumulate, types.accumulate);
  if (work.unit == Unit::convert) return rows.add_compute(work.unit, types.a, types.accumulate);
  if (work.unit != Unit::multiply_add) return rows.add_compute(work.unit, types.compute, types.accumulate);
  for (const Unit unit : {Unit::vector, Unit::matrix}) {
    rows.add_compute(unit, types.compute, types.accumulate);
    if (types.a == types.b) rows.add_compute(unit, types.a, types.accumulate);
  }
}

void add_streams(Rows& rows, const std::string& level, bool outermost, const Traffic& mix) {
  if (mix.in_place > 0) rows.add_stream(level, Access::update, Stores::ordinary);
  if (mix.in_place >= 1) return;
  const double fraction = mix.read_fraction_of_rest();
  for (const Access access : enclosing(fraction)) {
    rows.add_stream(level, access, access == Access::read ? Stores::none : Stores::ordinary);
  }
  if (!outermost) return;
  for (const Access access : enclosing(fraction)) {
    if (access != Access::read) rows.add_stream(level, access, Stores::non_temporal);
  }
}

}  // namespace

std::vector<Ceiling> needed_roofs(std::span<const Stage> stages, const Types& types, const DeviceInfo& device,
                                  int threads) {
  const auto levels = levels_of(device, Scope::node, threads);
  Rows rows(device, threads);
  for (const Stage& stage : stages) {
    for (const UnitWork& work : stage.work) add_compute(rows, work, types);
    const auto traffic = least_traffic(stage, levels, false);
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      if (traffic[i] > 0) add_streams(rows, levels[i].name, i + 1 == levels.size(), traffic_of(stage));
    }
  }
  rows.add_launch();
  return rows.take();
}

namespace {

constexpr double near_enough = 0.05;

/// A figure of a run, with its interval. Rates of units and caches are the core's: they are compared at one clock.
struct Figure {
  const std::string* id;
  const Estimate* estimate;
  bool larger_is_slower{}, of_main_memory{};
  double clock_hz{1};
};

std::vector<Figure> figures_of(const Result& run) {
  std::set<std::string> main_memories;
  for (const DeviceInfo& device : run.devices) {
    if (!device.memory.empty()) main_memories.insert(device.memory.back().name);
  }
  std::vector<Figure> figures;
  for (const Ceiling& row : run.ceilings) {
    const bool of_main_memory = main_memories.contains(row.name);
    const bool of_the_core =
        row.kind == CeilingKind::compute || (row.kind == CeilingKind::bandwidth && !of_main_memory);
    const double clock_hz = of_the_core ? row.conditions.clock_hz.value_or(1) : 1;
    if (row.status == Status::ok) figures.push_back({&row.id, &row.value, row.unit == "s", of_main_memory, clock_hz});
  }
  for (const Point& row : run.points) {
    if (row.status == Status::ok) figures.push_back({&row.id, &row.time, true, row.regime == Regime::memory_bound});
  }
  return figures;
}

bool is_needed(const Ceiling& row, const std::string& main_memory) {
  if (!row.variant.empty()) return false;
  if (row.kind == CeilingKind::overhead) return row.name == "kokkos_launch";
  if (row.kind == CeilingKind::compute) {
    return row.name == "vector" && row.at == OperatingPoint::burst &&
           (row.dtype == DType::fp64 || row.dtype == DType::fp32);
  }
  if (row.kind != CeilingKind::bandwidth || row.stores == Stores::non_temporal) return false;
  if (row.name == main_memory)
    return row.access == Access::read || row.access == Access::copy || row.access == Access::triad;
  return row.name == "L1" && row.access == Access::read;
}

std::string name_of(const Ceiling& row) {
  if (row.kind == CeilingKind::overhead) return "launch";
  if (row.kind == CeilingKind::compute) return fmt::format("{} peak", to_string(*row.dtype));
  return fmt::format("{} {}", row.name, to_string(row.access));
}

bool is_off(const Estimate& estimate, double level) {
  if (std::abs(estimate.value - level) <= near_enough * level) return false;
  return !estimate.ci_low || level < *estimate.ci_low || *estimate.ci_high < level;
}

}  // namespace

std::vector<Needed> needed_rows(const Result& result) {
  std::vector<Needed> needed;
  for (const DeviceInfo& device : result.devices) {
    if (device.memory.empty()) continue;
    for (const Ceiling& row : result.ceilings) {
      if (row.device == device.id && is_needed(row, device.memory.back().name))
        needed.push_back({name_of(row), row.id});
    }
  }
  return needed;
}

std::map<std::string, double> undisturbed_levels(const std::vector<Result>& runs) {
  std::map<std::string, std::vector<double>> blocks;
  for (const Result& run : runs) {
    for (const auto& [id, estimate, larger_is_slower, of_main_memory, clock_hz] : figures_of(run)) {
      for (std::size_t i = 0; i < estimate->samples.size(); ++i) {
        if (std::ranges::count(estimate->disturbed_samples, static_cast<int>(i)) == 0)
          blocks[*id].push_back(estimate->samples[i] / clock_hz);
      }
    }
  }
  std::map<std::string, double> levels;
  for (const auto& [id, values] : blocks) levels[id] = measure::median(values);
  return levels;
}

RunVerdict verdict_of(const Result& run, const std::vector<Needed>& needed,
                      const std::map<std::string, double>& levels) {
  RunVerdict verdict;
  const auto figures = figures_of(run);
  for (const auto& [name, id] : needed) {
    if (std::ranges::none_of(figures, [&wanted = id](const Figure& figure) { return *figure.id == wanted; }))
      verdict.missing.push_back(name);
  }
  for (const Point& point : run.points) {
    if (point.status == Status::unsupported) continue;
    verdict.unjudged += point.status == Status::ok && point.regime ? 0 : 1;
    if (point.status != Status::ok) continue;
    verdict.highest_percent = std::max(verdict.highest_percent, 100 * point.fraction_of_limit.value_or(0));
  }
  for (const DeviceInfo& device : run.devices) {
    const MemorySpeed memory(run.ceilings, device, widest_scope(run, device.id));
    const auto ratio = memory.fastest_over_slowest();
    if (!ratio || *ratio < verdict.memory_ratio.value_or(0)) continue;
    verdict.memory_ratio = ratio;
    verdict.memory_kept_its_speed = !memory.changed();
  }
  for (const auto& [id, estimate, larger_is_slower, of_main_memory, clock_hz] : figures) {
    const auto found = levels.find(*id);
    if (found == levels.end()) continue;
    const double level = found->second * clock_hz;
    ++verdict.figures;
    if (!is_off(*estimate, level)) continue;
    ++verdict.off;
    verdict.off_of_main_memory += of_main_memory ? 1 : 0;
    verdict.slower += (estimate->value > level) == larger_is_slower ? 1 : 0;
  }
  return verdict;
}

std::string heading() {
  return fmt::format("{:>3} {:>6} {:>7} {:>8} {:>8} {:>9} {:>8} {:>9}  {}\n", "run", "s", "steal %", "memory x",
                     "unjudged", "highest %", "findings", "off", "without a figure");
}

std::string line(int number, const RunVerdict& verdict) {
  return fmt::format("{:>3} {:>6.1f} {:>7.1f} {:>8} {:>8} {:>9.0f} {:>8} {:>9}  {}{}\n", number, verdict.wall_s,
                     verdict.steal_percent, verdict.memory_ratio ? fmt::format("{:.2f}", *verdict.memory_ratio) : "-",
                     verdict.unjudged, verdict.highest_percent, verdict.findings,
                     fmt::format("{} of {}", verdict.off, verdict.figures), fmt::join(verdict.missing, ", "),
                     verdict.missing.empty() ? "-" : "");
}

}  // namespace gable::bench
