#include "backends/openmp/ceilings/setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <utility>

#include "core/measure/rounds.hpp"
#include "core/sequence.hpp"

namespace gable::openmp {

using measure::ceiling_policy;

Policies policies_for(Mode mode) {
  const bool full = mode == Mode::full;
  Policies p;
  // One short batch a block, so that a short interruption spoils one block and not three batches.
  p.burst = full ? ceiling_policy(1e-3, 12, 0.4) : ceiling_policy(1e-3, 8, 0.1);
  p.burst.gap_s = 3e-3;
  p.sustained = full ? ceiling_policy(5e-3, 12, 1.5) : ceiling_policy(2e-3, 8, 0.4);
  p.sustained.warmup_s = 0.3;
  p.stream = full ? ceiling_policy(1e-3, 12, 0.5) : ceiling_policy(1e-3, 8, 0.1);
  p.stream.warmup_s = full ? 0.05 : 0.02;
  p.latency = full ? ceiling_policy(1e-3, 12, 0.3) : ceiling_policy(0.5e-3, 8, 0.1);
  // Beside OpenMP's own threads, which spin after a region, the sentinel may have to wait for milliseconds.
  p.overhead = full ? ceiling_policy(1e-3, 12, 1.0) : ceiling_policy(0.5e-3, 8, 0.5);
  p.library = full ? ceiling_policy(20e-3, 3, 0.6) : ceiling_policy(2e-3, 4, 0.2);
  p.curve = full ? ceiling_policy(1.5e-3, 4, 0.1) : ceiling_policy(0.4e-3, 3, 0.1);
  return p;
}

namespace {

constexpr double mib = 1024.0 * 1024.0;
constexpr double least_memory_factor = 4.0;
/// Main memory of a machine that shows no L3, which it may have all the same: beyond any cache sold.
constexpr double without_l3_bytes = 1024.0 * mib;

WorkingSet cache_set(const Level& level, double inside_bytes) {
  if (level.capacity_bytes < 1.25 * inside_bytes) {
    return {level.name, 0.0,
            fmt::format("{} ({:.2f} MiB of it) is hardly larger than the levels inside ({:.2f} MiB)", level.name,
                        level.capacity_bytes / mib, inside_bytes / mib)};
  }
  if (inside_bytes <= 0) return {level.name, 0.5 * level.capacity_bytes, ""};
  const double between = std::sqrt(inside_bytes * level.capacity_bytes);
  return {level.name, std::min(std::max(between, 2.0 * inside_bytes), level.capacity_bytes), ""};
}

WorkingSet memory_set(const Level& level, double caches_bytes, bool has_l3, double budget_bytes, double memory_factor) {
  const double least = caches_bytes > 0 ? least_memory_factor * caches_bytes : without_l3_bytes;
  if (least > budget_bytes) {
    return {level.name, 0.0,
            fmt::format("4 x all caches are {:.0f} MiB, of the available memory {:.0f} MiB may be used", least / mib,
                        budget_bytes / mib)};
  }
  const double wanted = std::max(memory_factor * caches_bytes, has_l3 ? least : without_l3_bytes);
  return {level.name, std::clamp(wanted, least, budget_bytes), ""};
}

}  // namespace

double caches_bytes(std::span<const Level> levels) { return sum_over(levels, &Level::capacity_bytes); }

std::vector<WorkingSet> working_sets(std::span<const Level> levels, double budget_bytes, double memory_factor) {
  std::vector<WorkingSet> sets;
  double inside = 0.0;
  bool has_l3 = false;
  for (const auto& level : levels) {
    has_l3 |= level.name == "L3" || level.name == "L4";
    if (level.capacity_bytes > 0) {
      sets.push_back(cache_set(level, inside));
      inside = level.capacity_bytes;
    } else {
      sets.push_back(memory_set(level, caches_bytes(levels), has_l3, budget_bytes, memory_factor));
    }
  }
  return sets;
}

std::vector<WorkingSet> within_found(std::vector<WorkingSet> planned, std::span<const Level> levels,
                                     std::span<const std::optional<CacheStep>> found) {
  std::vector<Level> reduced(levels.begin(), levels.end());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]) reduced[i].capacity_bytes = std::min(reduced[i].capacity_bytes, found[i]->holds);
  }
  const auto sets = working_sets(reduced, 0, 1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i] || planned[i].bytes <= found[i]->whole || !sets[i].reason.empty()) continue;
    planned[i].bytes = std::min(sets[i].bytes, found[i]->whole);
  }
  return planned;
}

namespace {

/// Slices begin on 2 MiB boundaries: whole huge pages, and the same alignment for every thread.
constexpr std::size_t slice_grain = 2 * 1024 * 1024 / sizeof(double);
constexpr double most_memory_factor = 12.0;
constexpr double longest_pass_s = 0.1;
constexpr std::uint64_t memory_seed = 0x6ab1e;

}  // namespace

double memory_factor_for(Mode mode, double caches_bytes, int threads) {
  if (mode != Mode::full || caches_bytes <= 0) return least_memory_factor;
  const double longest_pass_bytes = longest_pass_s * expected_bytes_per_thread_and_s * threads;
  return std::clamp(longest_pass_bytes / caches_bytes, least_memory_factor, most_memory_factor);
}

std::vector<Level> Setup::levels() const { return levels_of(device, request.scope, threads()); }

std::vector<WorkingSet> Setup::sets() const {
  const auto all = levels();
  return working_sets(all, budget_bytes, memory_factor_for(request.mode, caches_bytes(all), threads()));
}

Array& Setup::memory() {
  if (!memory_) {
    double bytes = 0.0;
    for (const auto& set : sets()) bytes = std::max(bytes, set.bytes);
    const auto per_thread = static_cast<std::size_t>(std::ceil(bytes / sizeof(double) / threads()));
    const std::size_t grains = std::max<std::size_t>(1, (per_thread + slice_grain - 1) / slice_grain);
    memory_ = std::make_shared<Array>(*pinned, grains * slice_grain * static_cast<std::size_t>(threads()), memory_seed);
  }
  return *memory_;
}

void Setup::release_large_memory() {
  constexpr double large = 0.5;
  if (memory_ && static_cast<double>(memory_->size() * sizeof(double)) > large * budget_bytes) memory_.reset();
}

std::span<double> Setup::slice(int rank) {
  auto& all = memory();
  const auto share = share_of(all.size(), rank, threads());
  return {all.data() + share.begin, share.count};
}

void Setup::Ladder::add(double bytes, const Estimate& figure) {
  set_bytes.push_back(bytes);
  figures.push_back(figure.value);
  if (measure::was_held_back(figure)) held_back = measure::held_back_words(figure);
}

std::string Setup::Ladder::why_not() const {
  const auto& why = failure.empty() ? held_back : failure;
  return why.empty() ? "" : fmt::format("caches as told, because their sizes could not be measured: {}", why);
}

void Setup::Ladder::fill(Curve& curve) const {
  curve.x = set_bytes;
  curve.y = figures;
  if (!held_back.empty()) mark(curve, Status::suspect, held_back);
}

Setup::Ladder& Setup::first_ladder(std::string_view series, const std::function<Ladder()>& climb) {
  const auto known = ladders.find(std::string(series));
  if (known != ladders.end()) return known->second;
  Ladder ladder;
  try {
    ladder = climb();
  } catch (const std::exception& error) {
    ladder = {};
    ladder.failure = error.what();
    ladder.taken = true;  // the item of the ladder measures its own
  }
  return ladders.emplace(series, std::move(ladder)).first->second;
}

SharedSetup narrowed(Setup& setup, int threads) {
  auto narrow = std::make_shared<Setup>();
  narrow->device = setup.device;
  narrow->request = setup.request;
  narrow->cpus.assign(setup.cpus.begin(), setup.cpus.begin() + threads);
  narrow->instructions = setup.instructions;
  narrow->policies = setup.policies;
  narrow->budget_bytes = setup.budget_bytes;
  narrow->pinned = std::make_shared<PinnedThreads>(narrow->cpus);
  narrow->conditions = setup.conditions;
  // On one memory node every page is as near as another, and touching new ones takes longer than measuring them.
  if (setup.device.numa.size() <= 1) narrow->memory_ = setup.memory_;
  return narrow;
}

Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(Setup&, Ceiling&)> fill) {
  auto conditions = setup->conditions;
  auto filled = [setup = std::move(setup), fill = std::move(fill)](Ceiling& measured) { fill(*setup, measured); };
  return gable::row_item(std::move(row), std::move(title), expected_s, std::move(filled), std::move(conditions));
}

}  // namespace gable::openmp
