#include <fmt/format.h>

#include <omp.h>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "backends/openmp/ceilings/benchmarks.hpp"
#include "backends/openmp/ceilings/ceilings.hpp"
#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {
namespace {

constexpr double memory_factor = 4.0;
constexpr std::uint64_t cycle_seed = 0xc4a5e;

/// Up to twice the caches: beyond them, the chase of the row of main memory says the rest.
double largest_chase(const Setup& setup, std::span<const Level> levels) {
  return std::min(std::max(2 * caches_bytes(levels), 64.0 * 1024 * 1024), setup.budget_bytes / 4);
}

/// Lines linked to one cycle, in memory that the first cpu touched first. It is walked once before timing, so that the
/// caches hold what the chase leaves there: the whole cycle if it fits a cache, else as many lines as all caches hold.
struct Cycle {
  Cycle(PinnedThreads& alone, double bytes, bool of_main_memory)
      : memory(alone, static_cast<std::size_t>(std::ceil(bytes / sizeof(double))), cycle_seed),
        lines(as_lines({memory.data(), memory.size()}, bytes)) {
    link_random_cycle(lines, cycle_seed);
    PointerChase(alone, lines)
        .run(static_cast<std::uint64_t>(
            std::ceil(static_cast<double>(lines.size()) / (of_main_memory ? memory_factor : 1))));
  }

  Array memory;
  std::span<ChaseLine> lines;
};

/// The first walk takes longer than a round of measuring: a cycle that needs little of the memory is kept for the next
/// one.
using Kept = std::shared_ptr<std::unique_ptr<Cycle>>;

/// The host may have taken back pages of a virtual machine that were idle since the last round. Getting one again takes
/// longer than a hundred accesses.
void touch_pages(std::span<const ChaseLine> lines) {
  constexpr std::size_t page_lines = 4096 / sizeof(ChaseLine);
  for (std::size_t i = 0; i < lines.size(); i += page_lines) {
    ChaseLine* const next = *const_cast<ChaseLine* const volatile*>(&lines[i].next);
    static_cast<void>(next);
  }
}

constexpr double longest_walk_s = 0.045, slow_access_s = 1.5e-7;

/// The chase over all sizes, in one array of the first cpu.
Setup::Ladder chase_ladder(Setup& setup, bool small_pages) {
  const auto levels = levels_of(setup.device, setup.request.scope, 1);
  const auto sizes = chase_sizes(levels, largest_chase(setup, levels), setup.full());
  PinnedThreads alone({setup.cpus.front()});
  Array memory(alone, static_cast<std::size_t>(std::ceil(sizes.back() / sizeof(double))), cycle_seed,
               small_pages ? Pages::small : Pages::huge);
  Setup::Ladder ladder;
  for (const double size : sizes) {
    const auto lines = as_lines({memory.data(), memory.size()}, size);
    link_random_cycle(lines, cycle_seed);
    PointerChase chase(alone, lines);
    chase.run(static_cast<std::uint64_t>(std::min(static_cast<double>(lines.size()), longest_walk_s / slow_access_s)));
    ladder.add(static_cast<double>(lines.size_bytes()), measure::measure(chase, {1.0, false}, setup.policies.curve));
  }
  return ladder;
}

Setup::Ladder& first_chase(Setup& setup) {
  return setup.first_ladder(chase_series, [&] { return chase_ladder(setup, false); });
}

std::vector<WorkingSet> found_chase_sets(Setup& setup, std::string& why_not) {
  const auto& ladder = first_chase(setup);
  const auto levels = levels_of(setup.device, setup.request.scope, 1);
  why_not = ladder.why_not();
  if (!why_not.empty()) return working_sets(levels, setup.budget_bytes, memory_factor);
  return within_found(working_sets(levels, setup.budget_bytes, memory_factor), levels,
                      cache_steps(bytes_of_caches(levels), ladder.set_bytes, ladder.figures));
}

void measure_latency(Setup& setup, Ceiling& row, std::size_t depth, bool of_main_memory, const Kept& kept) {
  constexpr double small = 0.5;
  const double bytes = found_chase_sets(setup, row.reason)[depth].bytes;
  PinnedThreads alone({setup.cpus.front()});
  if (*kept) {
    touch_pages((*kept)->lines);
  } else {
    *kept = std::make_unique<Cycle>(alone, bytes, of_main_memory);
  }
  PointerChase chase(alone, (*kept)->lines);
  row.value = measure::measure(chase, {1.0, false}, setup.policies.latency);
  row.working_set_bytes = static_cast<double>((*kept)->lines.size_bytes());
  if (bytes > small * setup.budget_bytes) kept->reset();
}

void run_empty_regions(std::uint64_t count, int threads) {
  for (std::uint64_t i = 0; i < count; ++i) {
#pragma omp parallel num_threads(threads)
    {
      // Keeps the region: it may have an effect the compiler does not see.
      asm volatile("" : : : "memory");
    }
  }
}

}  // namespace

std::vector<Item> latency_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  const auto levels = levels_of(setup->device, setup->request.scope, 1);
  const auto sets = working_sets(levels, setup->budget_bytes, memory_factor);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const WorkingSet& set = sets[i];
    const bool of_main_memory = levels[i].capacity_bytes <= 0;
    auto row = new_row(*setup, CeilingKind::latency, set.level, "s");
    row.threads = 1;
    row.implementation = "pointer_chase";
    row.data_pattern = "random_cycle";
    if (!set.reason.empty()) mark(row, Status::skipped, set.reason);
    // Making and walking the cycle takes some 100 ns a line, once; it is counted in the expected time of every round.
    const double expected_s = expected_seconds(setup->policies.latency) + set.bytes / sizeof(ChaseLine) * 3e-8;
    items.push_back(row_item(setup, std::move(row), fmt::format("{} latency", set.level), expected_s,
                             [i, of_main_memory, kept = std::make_shared<std::unique_ptr<Cycle>>()](
                                 Setup& s, Ceiling& r) { measure_latency(s, r, i, of_main_memory, kept); }));
  }
  return items;
}

std::vector<double> chase_sizes(std::span<const Level> levels, double largest, bool full) {
  constexpr double dense_up_to = 4.0 * 1024 * 1024;
  const double caches = caches_bytes(levels);
  std::vector<double> sizes;
  double size = std::max(4096.0, levels.front().capacity_bytes / 2);
  while (size <= largest * (1 + 1e-9)) {
    sizes.push_back(size);
    const int per_octave = size >= caches ? 1 : size >= dense_up_to && !full ? 2 : full ? 4 : 3;
    size *= std::exp2(1.0 / per_octave);
  }
  if (sizes.empty()) sizes.push_back(size);
  return sizes;
}

std::vector<Item> latency_sweeps(const SharedSetup& setup) {
  std::vector<Item> items;
  const auto levels = levels_of(setup->device, setup->request.scope, 1);
  const auto sizes = chase_sizes(levels, largest_chase(*setup, levels), setup->full());
  double expected_s = static_cast<double>(sizes.size()) * expected_seconds(setup->policies.curve);
  for (const double size : sizes) expected_s += std::min(longest_walk_s, size / sizeof(ChaseLine) * slow_access_s);
  for (const bool small_pages : {false, true}) {
    if (small_pages && !setup->full()) continue;
    const auto series = small_pages ? small_page_chase_series : chase_series;
    auto curve =
        new_curve(*setup, std::string(latency_sweep), std::string(series), {"working_set", "byte"}, {"latency", "s"});
    curve.threads = 1;
    items.push_back(curve_item(setup, std::move(curve), fmt::format("Latency over working sets, {}", series),
                               expected_s, [small_pages](Setup& s, Curve& c) {
                                 const bool is_first = !small_pages && !std::exchange(first_chase(s).taken, true);
                                 (is_first ? first_chase(s) : chase_ladder(s, small_pages)).fill(c);
                               }));
  }
  return items;
}

Item parallel_region_overhead(const SharedSetup& setup) {
  auto row = new_row(*setup, CeilingKind::overhead, "openmp_parallel_region", "s");
  row.implementation = "openmp";
  return row_item(
      setup, std::move(row), "OpenMP parallel region", expected_seconds(setup->policies.overhead),
      [](Setup& s, Ceiling& r) {
        s.pinned->pin();
        TimedWork regions([&](std::uint64_t count) {
          return s.pinned->timed_beside([count, threads = s.threads()] { run_empty_regions(count, threads); });
        });
        r.value = measure::measure(regions, {1.0, false}, s.policies.overhead);
      });
}

}  // namespace gable::openmp
