#include "benchmarks/operator_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/kokkos/runtime.hpp"
#include "backends/openmp/ceilings/benchmarks.hpp"
#include "benchmarks/fractions.hpp"
#include "benchmarks/noisy_table.hpp"
#include "core/device/device_info.hpp"
#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/measure/timed.hpp"
#include "core/model/roofline.hpp"
#include "core/model/units.hpp"
#include "core/model/work.hpp"

namespace gable::bench {
namespace {

constexpr double batch_s = 4e-3;
constexpr double round_s = 25e-3;
constexpr double most_turns = 5;

/// Runs of an operator and one fence: wall time of the thread that launches them. The instance must outlive it.
class Runs final : public measure::Benchmark {
 public:
  explicit Runs(OperatorInstance& instance) : instance_(instance) {}
  measure::TimedBatch run(std::uint64_t iterations) override {
    return measure::timed([&] {
      for (std::uint64_t i = 0; i < iterations; ++i) instance_.run();
      instance_.fence();
    });
  }

 private:
  OperatorInstance& instance_;
};

}  // namespace

Member::Member(std::unique_ptr<measure::Benchmark> benchmark) : benchmark_(std::move(benchmark)) {}

void Member::calibrate() {
  iterations_ = 1;
  benchmark_->run(iterations_);
  double time_s = 0;
  while ((time_s = benchmark_->run(iterations_).time_s) < batch_s) {
    const double factor = time_s > 0 ? std::clamp(1.2 * batch_s / time_s, 2.0, 100.0) : 100.0;
    iterations_ = static_cast<std::uint64_t>(std::ceil(static_cast<double>(iterations_) * factor));
  }
  turns_ = static_cast<int>(std::clamp(std::round(round_s / time_s), 1.0, most_turns));
}

int Member::turns() {
  if (iterations_ == 0) calibrate();
  return turns_;
}

void Member::take_turn() { times_s_.push_back(benchmark_->run(iterations_).time_s / static_cast<double>(iterations_)); }

double Member::finish_round() {
  const double middle = measure::median(times_s_);
  times_s_.clear();
  return middle;
}

NativeRoofs::NativeRoofs(openmp::SharedSetup setup) : setup_(std::move(setup)) {}

NativeRoof* NativeRoofs::find(const Ceiling& row) {
  auto found = made_.find(row.id);
  if (found == made_.end()) found = made_.emplace(row.id, make(row)).first;
  return found->second.member ? &found->second : nullptr;
}

NativeRoof NativeRoofs::make(const Ceiling& row) {
  if (row.kind == CeilingKind::compute) return make_compute(row);
  if (row.kind == CeilingKind::bandwidth) return make_stream(row);
  return {std::make_unique<Member>(kokkos::launch_overhead(true)), 0};
}

NativeRoof NativeRoofs::make_compute(const Ceiling& row) {
  for (const auto& choice : openmp::compute_kernels(setup_->instructions, row.name, row.dtype.value())) {
    if (row.accumulate && parse_dtype(choice.kernel->accumulate) != row.accumulate) continue;
    auto benchmark = std::make_unique<openmp::ComputeBenchmark>(*setup_, choice);
    const double operations = benchmark->operations();
    return {std::make_unique<Member>(std::move(benchmark)), operations};
  }
  return {};
}

NativeRoof NativeRoofs::make_stream(const Ceiling& row) {
  const auto choice = openmp::stream_kernel(setup_->instructions, row.access, row.stores);
  if (choice.kernel == nullptr) return {};
  for (const auto& set : setup_->sets()) {
    if (set.level != row.name || !set.reason.empty()) continue;
    auto benchmark = std::make_unique<openmp::StreamBenchmark>(*setup_, choice, set.bytes);
    const double moved = benchmark->bytes_per_pass();
    return {std::make_unique<Member>(std::move(benchmark)), moved};
  }
  return {};
}

namespace {

constexpr std::uint64_t seed = 20260101;

/// An implementation of an operator that takes turns.
struct Runner {
  std::string name;
  bool vendor{};
  double flops{};
  std::unique_ptr<OperatorInstance> instance;
  Member member;
  std::vector<double> times_s{};  ///< one a round
};

void check_memory(const Bench& bench, const OperatorSpec& spec, const Params& params, const Types& types) {
  const double most = run_memory_bytes(bench.device);
  const double need = memory_bytes(spec, params, types, most);
  if (need > most) {
    throw Error(fmt::format("{} {} needs {}, more than a quarter of the memory", spec.name, params.to_string(),
                            format_quantity(need, "byte")));
  }
}

Runner make_runner(const Bench& bench, const OperatorEntry& entry, const Implementation& implementation,
                   const Params& params, const Types& types) {
  auto instance = implementation.create(params, types, seed, bench.backend.vendor());
  auto benchmark = std::make_unique<Runs>(*instance);
  const bool vendor = implementation.library != nullptr;
  return {vendor ? implementation.library(types, *bench.backend.vendor()) : std::string(implementation.name), vendor,
          flops(entry.spec->work(params, types)), std::move(instance), Member(std::move(benchmark))};
}

std::vector<Runner> make_runners(const Bench& bench, const OperatorEntry& entry, const Params& params,
                                 const Types& types) {
  std::vector<Runner> runners;
  for (const Implementation& implementation : entry.implementations) {
    if (!implementation.refuses(types, bench.backend.vendor()).empty()) continue;
    runners.push_back(make_runner(bench, entry, implementation, params, types));
  }
  return runners;
}

/// The other operator of a goal, run by its first own implementation; nothing where it cannot run.
std::optional<Runner> make_other(const Bench& bench, const Goal& goal, const Params& ours, const Types& our_types) {
  for (const OperatorEntry* entry : bench.entries) {
    if (entry->spec->name != goal.other) continue;
    const auto dtype = parse_dtype(goal.other_dtype);
    const auto& known = entry->spec->types;
    const auto types =
        std::ranges::find_if(known, [&](const Types& one) { return dtype ? one.a == *dtype : one == our_types; });
    if (types == known.end()) return {};
    const Params params = goal.other_params.empty() ? ours : Params::parse(goal.other_params);
    return make_runner(bench, *entry, entry->implementations.front(), params, *types);
  }
  return {};
}

/// What a figure is compared with: a runner beside ours, with the goal that asks for it.
struct Beside {
  Goal goal;
  Runner* runner;
};

/// The level that serves most of what the stages move.
std::string serving_level(std::span<const Stage> stages, const std::vector<Level>& levels) {
  std::vector<double> served(levels.size(), 0.0);
  for (const Stage& stage : stages) {
    const auto traffic = least_traffic(stage, levels, false);
    for (std::size_t i = 0; i < traffic.size(); ++i) served[i] += traffic[i];
  }
  // Data that come from further out pass the levels inside as well: the outermost of equal ones serves them.
  const auto most = std::max_element(served.rbegin(), served.rend());
  return most == served.rend() ? "" : levels[static_cast<std::size_t>(served.rend() - most) - 1].name;
}

/// The turns of one round; which member is the first moves on.
void alternate(std::span<Member* const> members, std::size_t round) {
  int most = 0;
  for (Member* member : members) most = std::max(most, member->turns());
  for (int turn = 0; turn < most; ++turn) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      Member* member = members[(i + round + static_cast<std::size_t>(turn)) % members.size()];
      if (turn < member->turns()) member->take_turn();
    }
  }
}

class Case {
 public:
  Case(const Bench& bench, const OperatorEntry& entry, const Params& params, const Types& types)
      : bench_(bench), spec_(*entry.spec), params_(params), types_(types) {
    check_memory(bench, spec_, params, types);
    stages_ = spec_.work(params, types);
    levels_ = levels_of(bench.device, Scope::node, bench.backend.threads());
    where_ = residence(stages_, levels_);
    goals_ = goals_for(bench.goals, {spec_.name, params_, types_, where_});
    runners_ = make_runners(bench, entry, params, types);
    others_.reserve(goals_.size());  // besides_ points into it
    for (const Goal& goal : goals_) {
      if (goal.other.empty()) continue;
      if (auto other = make_other(bench, goal, params, types)) {
        others_.push_back(std::move(*other));
        besides_.push_back({goal, &others_.back()});
      }
    }
    for (Ceiling& row : needed_roofs(stages_, types, bench.device, bench.backend.threads())) {
      if (NativeRoof* roof = bench.roofs.find(row)) {
        rows_.push_back(std::move(row));
        roofs_.push_back(roof);
      }
    }
  }

  void run() {
    std::vector<Member*> members;
    for (NativeRoof* roof : roofs_) members.push_back(roof->member.get());
    for (Runner& runner : runners_) members.push_back(&runner.member);
    for (Runner& other : others_) members.push_back(&other.member);
    for (int round = 0; round < bench_.rounds; ++round) {
      alternate(members, static_cast<std::size_t>(round));
      rounds_.push_back(rows_);
      for (std::size_t i = 0; i < roofs_.size(); ++i) {
        const double seconds = roofs_[i]->member->finish_round(), amount = roofs_[i]->per_iteration;
        rounds_.back()[i].value.value = amount > 0 ? amount / seconds : seconds;
      }
      for (Runner& runner : runners_) runner.times_s.push_back(runner.member.finish_round());
      for (Runner& other : others_) other.times_s.push_back(other.member.finish_round());
    }
  }

  std::vector<Outcome> outcomes() const {
    std::vector<Outcome> all;
    for (const Runner& runner : runners_) {
      all.push_back(of_bound(runner));
      if (runner.vendor) continue;
      for (const Goal& goal : goals_) {
        if (goal.figure == Figure::streams) all.push_back(of_streams(runner, goal));
      }
      for (const Beside& beside : besides_) all.push_back(of_other(runner, beside));
      for (const Runner& vendor : runners_) {
        if (vendor.vendor) all.push_back(of_vendor(runner, vendor));
      }
    }
    return all;
  }

 private:
  const Goal* goal_of(Figure figure) const {
    const auto found = std::ranges::find(goals_, figure, &Goal::figure);
    return found == goals_.end() ? nullptr : &*found;
  }

  /// The fixed cost that is measured is that of the portable launch, which a library does without.
  Placed placed(const Runner& runner) const {
    Placed placed{stages_, types_, &bench_.device};
    for (Stage& stage : placed.stages) stage.launches = runner.vendor ? 0 : stage.launches;
    return placed;
  }

  Outcome blank(const Runner& runner, std::string figure) const {
    Outcome outcome;
    outcome.op = std::string(spec_.name);
    outcome.implementation = runner.name;
    outcome.params = params_.to_string();
    outcome.types = types_;
    outcome.where = serving_level(stages_, levels_);
    outcome.times_s = runner.times_s;
    outcome.figure = std::move(figure);
    return outcome;
  }

  Outcome of_bound(const Runner& runner) const {
    Outcome outcome = blank(runner, "of bound");
    const Placed work = placed(runner);
    const Limited limited = limit_of(work, rounds_);
    outcome.ratios = fractions(work, rounds_, runner.times_s, Roofs::all);
    outcome.limit = limited.limit.label;
    outcome.missing = limited.missing;
    if (where_ == Residence::memory) {
      outcome.non_temporal = fractions(work, rounds_, runner.times_s, Roofs::non_temporal);
    }
    const Goal* goal = goal_of(Figure::bound);
    if (goal && goal->least > 0 && !runner.vendor && counts_for(limited.limit, limited.roofline))
      outcome.goal = goal->least;
    return outcome;
  }

  Outcome of_streams(const Runner& runner, const Goal& goal) const {
    Outcome outcome = blank(runner, "of the stream");
    outcome.ratios = fractions(placed(runner), rounds_, runner.times_s, Roofs::streams);
    outcome.goal = goal.least;
    return outcome;
  }

  Outcome of_vendor(const Runner& runner, const Runner& vendor) const {
    Outcome outcome = blank(runner, fmt::format("of {}", vendor.name));
    for (std::size_t i = 0; i < runner.times_s.size(); ++i) {
      outcome.ratios.push_back(vendor.times_s[i] / runner.times_s[i]);
    }
    if (const Goal* goal = goal_of(Figure::vendor)) outcome.goal = goal->least;
    return outcome;
  }

  Outcome of_other(const Runner& runner, const Beside& beside) const {
    const auto& [goal, other] = beside;
    const bool rate = goal.figure == Figure::rate;
    Outcome outcome = blank(runner, fmt::format("{} {} {}", rate ? "flop/s of" : "speed of", goal.other,
                                                goal.other_params.empty() ? goal.other_dtype : goal.other_params));
    const double work = rate ? runner.flops / other->flops : 1.0;
    for (std::size_t i = 0; i < runner.times_s.size(); ++i) {
      outcome.ratios.push_back(work * other->times_s[i] / runner.times_s[i]);
    }
    outcome.goal = goal.least;
    return outcome;
  }

  const Bench& bench_;
  const OperatorSpec& spec_;
  Params params_;
  Types types_;
  std::vector<Stage> stages_;
  std::vector<Level> levels_;
  Residence where_{};
  std::vector<Goal> goals_;
  std::vector<Runner> runners_, others_;
  std::vector<Beside> besides_;
  std::vector<Ceiling> rows_;  ///< of the roofs that can be measured here, in their order
  std::vector<NativeRoof*> roofs_;
  std::vector<std::vector<Ceiling>> rounds_;
};

}  // namespace

std::vector<Outcome> run_case(const Bench& bench, const OperatorEntry& entry, const Params& params,
                              const Types& types) {
  Case one(bench, entry, params, types);
  one.run();
  return one.outcomes();
}

}  // namespace gable::bench
