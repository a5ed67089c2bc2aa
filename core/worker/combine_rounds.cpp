#include "core/worker/combine_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/measure/disturbance.hpp"
#include "core/measure/rounds.hpp"
#include "core/sequence.hpp"
#include "core/worker/concurrent_items.hpp"

namespace gable::worker {
namespace {

/// Half width of an interval, relative to its value, from which a further round is worth its time.
double wide(Mode mode) { return mode == Mode::quick ? 0.1 : 0.05; }
/// Half width, relative, at which an estimate is called precise.
constexpr double precise = 0.01;

template <class T>
Conditions conditions_of(std::span<const T* const> rows, const Estimate& estimate) {
  Conditions all = rows.back()->conditions;
  const auto over = [&](std::optional<double> Conditions::*field) {
    return measure::median_if_any(told_by(rows, [&](const T* row) { return row->conditions.*field; }));
  };
  all.clock_hz = estimate.clock_hz ? estimate.clock_hz : over(&Conditions::clock_hz);
  all.power_w = over(&Conditions::power_w);
  all.temperature_c = over(&Conditions::temperature_c);
  all.huge_page_fraction = over(&Conditions::huge_page_fraction);
  for (const T* row : rows) {
    if (row->conditions.clock_limits && !row->conditions.clock_limits->empty())
      all.clock_limits = row->conditions.clock_limits;
  }
  return all;
}

/// Of all blocks; `estimates` are those of the rounds.
Estimate joined(std::span<const Estimate* const> estimates, const measure::EstimateOptions& options) {
  std::vector<Block> blocks;
  bool cut = false;
  for (const Estimate* estimate : estimates) {
    blocks.insert(blocks.end(), estimate->taken.begin(), estimate->taken.end());
    cut = cut || estimate->stop == StopReason::time_limit;
  }
  if (blocks.empty()) return *estimates.back();
  Estimate all = measure::estimate(blocks, options);
  const auto half = half_interval_percent(all);
  all.stop = cut                              ? StopReason::time_limit
             : half && *half <= 100 * precise ? StopReason::precise
                                              : StopReason::last_look;
  return all;
}

/// Why the row's figure is not that of the machine alone; empty if it may be.
std::string doubt(const Estimate& estimate, bool is_ceiling) {
  if (estimate.taken.empty()) return {};
  if (measure::was_held_back(estimate)) return measure::held_back_words(estimate);
  if (!estimate.ci_low)
    return fmt::format("only {} block{} fitted into the time limits: no interval", estimate.blocks,
                       estimate.blocks == 1 ? "" : "s");
  if (!is_ceiling || !measure::shared_its_core(estimate)) return {};
  return fmt::format(
      "the core was shared: independent work beside it took {:.2f} times as long as elsewhere in the run",
      estimate.seen.throughput_slowdown);
}

template <class T>
void judge(T& row, const Estimate& estimate, std::string reason) {
  if (row.status != Status::ok) return;
  if (reason.empty()) reason = doubt(estimate, std::is_same_v<T, Ceiling>);
  if (!reason.empty()) mark(row, Status::suspect, std::move(reason));
}

/// In concurrent rows, interference is the quantity measured.
bool core_bound(const Ceiling& row, std::string_view main_memory) {
  if (is_together(row)) return false;
  return row.kind == CeilingKind::compute || (row.kind == CeilingKind::bandwidth && row.name != main_memory);
}

/// The shared part of the machine that a row depends on, as a key of Surroundings::moments: arithmetic, or a level of
/// memory. Empty where it depends on none.
std::string shared_part(const Ceiling& row) {
  if (is_together(row)) return {};
  if (row.kind == CeilingKind::compute) return "compute";
  return row.kind == CeilingKind::bandwidth ? row.name : "";
}

std::span<const measure::Moment> moments_of(const std::string& part, const Surroundings& around) {
  const auto found = around.moments.find(part);
  if (found == around.moments.end()) return {};
  return found->second;
}

/// Whether the fastest of two speeds or more is what the row is of. What a unit sustains may slow down by itself, when
/// it grows warm or has spent its power; and what others take on purpose is the figure of a row beside them.
bool is_of_the_faster_speed(const Ceiling& row) {
  return !is_together(row) && !(row.kind == CeilingKind::compute && row.at == OperatingPoint::sustained);
}

bool larger_is_slower(const Ceiling& row) { return row.unit == "s"; }

Ceiling combine(std::span<const Ceiling* const> rows, const Surroundings& around) {
  Ceiling all = *rows.back();
  const auto estimates = mapped(rows, [](const Ceiling* row) { return &row->value; });
  const double counted = all.value.value;
  measure::EstimateOptions options{.larger_is_slower = larger_is_slower(all),
                                   .ceiling = true,
                                   .fastest_speed = is_of_the_faster_speed(all),
                                   .throughput_baseline = around.throughput_baseline,
                                   .core_bound = core_bound(all, around.main_memory)};
  options.others = moments_of(shared_part(all), around);
  all.value = joined(estimates, options);
  if (all.with_write_allocate) all.with_write_allocate = *all.with_write_allocate / counted * all.value.value;
  all.conditions = conditions_of(rows, all.value);
  const auto theory_at_its_clock = [&](const Ceiling* row) -> std::optional<double> {
    if (!row->theory_at_clock || !row->conditions.clock_hz || !all.conditions.clock_hz) return row->theory_at_clock;
    return *row->theory_at_clock * *all.conditions.clock_hz / *row->conditions.clock_hz;
  };
  all.theory_at_clock = measure::median_if_any(told_by(rows, theory_at_its_clock));
  judge(all, all.value, implausible(all));
  return all;
}

/// Whether it moves its compulsory bytes about as fast as main memory does, which may then be what limits it.
bool is_as_fast_as_memory(const Point& point, const Surroundings& around) {
  constexpr double about = 3;
  const double ratio = bytes_of(point).value_or(0) / point.time.value / around.memory_byte_per_s.value_or(1);
  return 1 / about < ratio && ratio < about;
}

/// What limits an operator is not known yet: its interval holds what a shared core or main memory may have cost, and it
/// stays, unless its threads were held back.
Point combine(std::span<const Point* const> rows, const Surroundings& around) {
  Point all = *rows.back();
  const auto estimates = mapped(rows, [](const Point* row) { return &row->time; });
  measure::EstimateOptions options{.larger_is_slower = true, .throughput_baseline = around.throughput_baseline};
  if (is_as_fast_as_memory(all, around)) options.others = moments_of(around.main_memory, around);
  all.time = joined(estimates, options);
  all.conditions = conditions_of(rows, all.time);
  judge(all, all.time, {});
  return all;
}

/// Four digits: what several rounds of a curve take in a file.
double rounded(double value) {
  const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
  return value == 0 || !std::isfinite(step) ? value : std::round(value / step) * step;
}

/// Rounds of different sizes (memory was short in one) have no common points: the last stands.
Curve combine(std::span<const Curve* const> curves, const Surroundings&) {
  Curve all = *curves.back();
  if (curves.size() < 2) return all;
  if (std::ranges::any_of(curves, [&](const Curve* curve) { return curve->x != all.x; })) return all;
  for (const Curve* curve : curves) {
    for (const double y : curve->y) all.of_rounds.push_back(rounded(y));
  }
  for (std::size_t i = 0; i < all.y.size(); ++i) {
    std::vector<double> values;
    for (std::size_t at = i; at < all.of_rounds.size(); at += all.y.size()) values.push_back(all.of_rounds[at]);
    all.y[i] = measure::median(values);
  }
  return all;
}

/// Another kind of row: the last stands.
template <class T>
T combine(std::span<const T* const> rows, const Surroundings&) {
  return *rows.back();
}

/// The rows of one place of the rounds, all of one kind.
template <class T>
Row combine_as(const std::vector<const Row*>& rows, const Surroundings& around) {
  std::vector<const T*> of_kind;
  for (const Row* row : rows) {
    if (const T* one = std::get_if<T>(row)) of_kind.push_back(one);
  }
  return combine(std::span<const T* const>(of_kind), around);
}

}  // namespace

void set_round(std::vector<Row>& rows, int round, double at_s) {
  for (Row& row : rows) {
    Estimate* estimate = estimate_of(row);
    if (!estimate) continue;
    for (Block& block : estimate->taken) {
      block.round = round;
      block.at_s = at_s;
    }
  }
}

double ended_s(const RoundRows& of_round) {
  for (const Row& row : of_round.rows) {
    const Estimate* estimate = estimate_of(row);
    if (estimate && !estimate->taken.empty()) return estimate->taken.back().at_s;
  }
  return 0;
}

std::vector<RoundRows> joined_rounds(std::span<const RoundRows> rounds, std::span<const RoundRows> again,
                                     const std::string& id) {
  std::vector<RoundRows> all(rounds.begin(), rounds.end());
  all.insert(all.end(), again.begin(), again.end());
  std::ranges::stable_sort(all, {}, ended_s);
  int number = 0;
  for (RoundRows& of_round : all) {
    for (Row& row : of_round.rows) {
      if (auto* ceiling = std::get_if<Ceiling>(&row); ceiling && is_among_operators(*ceiling)) {
        ceiling->variant.clear();
        ceiling->id = id;
      }
    }
    const double end_s = ended_s(of_round);
    if (end_s == 0) continue;  // without blocks
    of_round.round = number++;
    set_round(of_round.rows, of_round.round, end_s);
  }
  return all;
}

std::vector<Row> combined(std::span<const RoundRows> rounds, const Surroundings& around) {
  const auto measured_at = [&](std::size_t i) {
    std::vector<const Row*> measured;
    for (const RoundRows& of_round : rounds) {
      if (i < of_round.rows.size() && status_of(of_round.rows[i]) == Status::ok) measured.push_back(&of_round.rows[i]);
    }
    return measured;
  };
  std::size_t places = 0;
  for (const RoundRows& of_round : rounds) places = std::max(places, of_round.rows.size());
  std::vector<Row> all;
  for (std::size_t i = 0; i < places; ++i) {
    const auto measured = measured_at(i);
    if (measured.empty()) {
      const auto last =
          std::find_if(rounds.rbegin(), rounds.rend(), [&](const RoundRows& v) { return i < v.rows.size(); });
      all.push_back(last->rows[i]);
    } else {
      all.push_back(std::visit([&]<class T>(const T&) { return combine_as<T>(measured, around); }, *measured.back()));
    }
  }
  return all;
}

Surroundings surroundings(std::span<const std::vector<RoundRows>> rounds, std::string main_memory) {
  Surroundings around;
  around.main_memory = std::move(main_memory);
  std::vector<Block> all;
  std::vector<double> memory;
  for (const auto& of_item : rounds) {
    std::map<std::string, std::pair<const Ceiling*, std::vector<Block>>> ceilings;  // by id
    for (const RoundRows& of_round : of_item) {
      for (const Row& row : of_round.rows) {
        const Estimate* estimate = estimate_of(row);
        if (!estimate) continue;
        all.insert(all.end(), estimate->taken.begin(), estimate->taken.end());
        if (const auto* ceiling = std::get_if<Ceiling>(&row)) {
          auto& [last, taken] = ceilings[ceiling->id];
          last = ceiling;
          taken.insert(taken.end(), estimate->taken.begin(), estimate->taken.end());
        }
      }
    }
    for (const auto& [id, ceiling] : ceilings) {
      const auto& [row, taken] = ceiling;
      const std::string part = shared_part(*row);
      if (part.empty()) continue;
      if (part == around.main_memory) {
        for (const Block& block : taken) memory.push_back(block.figure);
      }
      if (!is_of_the_faster_speed(*row)) continue;
      for (const auto& moment : measure::moments_of(taken, larger_is_slower(*row)))
        around.moments[part].push_back(moment);
    }
  }
  around.throughput_baseline = measure::throughput_baseline(all);
  if (!memory.empty()) around.memory_byte_per_s = measure::median(memory);
  return around;
}

bool failed(std::span<const RoundRows> rounds) {
  return std::ranges::any_of(rounds, [](const RoundRows& of_round) {
    return std::ranges::any_of(of_round.rows, [](const Row& row) { return status_of(row) == Status::error; });
  });
}

bool say_the_same(std::span<const RoundRows> rounds, int first) {
  constexpr std::size_t repeats = 3;
  constexpr double same = 1.003;
  if (rounds.size() < repeats) return false;
  const auto last = rounds.last(repeats);
  if (std::ranges::min(last, {}, &RoundRows::round).round < first) return false;
  for (std::size_t i = 0; i < last.front().rows.size(); ++i) {
    std::vector<double> figures;
    for (const RoundRows& of_round : last) {
      if (i >= of_round.rows.size() || status_of(of_round.rows[i]) != Status::ok) return false;
      const Estimate* estimate = estimate_of(of_round.rows[i]);
      if (!estimate || estimate->taken.empty() || estimate->seen.disturbed_blocks > 0) return false;
      figures.push_back(estimate->value);
    }
    const auto [low, high] = std::ranges::minmax(figures);
    if (high > same * low) return false;
  }
  return true;
}

bool wants_another_round(const Row& row, Mode mode) {
  const Status status = status_of(row);
  if (status == Status::suspect || status == Status::skipped) return true;
  const Estimate* estimate = estimate_of(row);
  return status == Status::ok && estimate && !estimate->taken.empty() &&
         measure::wants_another_round(*estimate, wide(mode));
}

bool is_certain(const Row& row, Mode mode) {
  const Estimate* estimate = estimate_of(row);
  const auto percent = estimate ? half_interval_percent(*estimate) : std::nullopt;
  return percent && *percent <= 100 * wide(mode);
}

}  // namespace gable::worker
