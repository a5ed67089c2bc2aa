#include <fmt/format.h>

#include <omp.h>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "backends/openmp/ceilings/benchmarks.hpp"
#include "backends/openmp/ceilings/ceilings.hpp"
#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {
namespace {

constexpr double memory_factor = 4.0;
constexpr std::uint64_t cycle_seed = 0xc4a5e;

/// Lines linked to one cycle, in memory that the first cpu touched first. It is walked once before timing, so that the
/// caches hold what the chase leaves there: the whole cycle if it fits a cache, else as many lines as all caches hold.
struct Cycle {
  Cycle(PinnedThreads& alone, double bytes, bool of_main_memory)
      : memory(alone, static_cast<std::size_t>(std::ceil(bytes / sizeof(double))), cycle_seed),
        lines(as_lines({memory.data(), memory.size()}, bytes)) {
    link_random_cycle(lines, cycle_seed);
    PointerChase(lines).run(static_cast<std::uint64_t>(
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

void measure_latency(Setup& setup, Ceiling& row, double bytes, bool of_main_memory, const Kept& kept) {
  constexpr double small = 0.5;
  PinnedThreads alone({setup.cpus.front()});
  if (*kept) {
    touch_pages((*kept)->lines);
  } else {
    *kept = std::make_unique<Cycle>(alone, bytes, of_main_memory);
  }
  PointerChase chase((*kept)->lines);
  row.value = measure::measure(chase, {1.0, false}, setup.policies.latency);
  row.working_set_bytes = static_cast<double>((*kept)->lines.size_bytes());
  if (bytes > small * setup.budget_bytes) kept->reset();
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
    if (!set.reason.empty()) {
      row.status = Status::skipped;
      row.reason = set.reason;
    }
    // Making and walking the cycle takes some 100 ns a line, once; it is counted in the expected time of every round.
    const double expected_s = expected_seconds(setup->policies.latency) + set.bytes / sizeof(ChaseLine) * 3e-8;
    items.push_back(row_item(setup, std::move(row), fmt::format("{} latency", set.level), expected_s,
                             [bytes = set.bytes, of_main_memory, kept = std::make_shared<std::unique_ptr<Cycle>>()](
                                 Setup& s, Ceiling& r) { measure_latency(s, r, bytes, of_main_memory, kept); }));
  }
  return items;
}

namespace {

class EmptyRegions final : public measure::Benchmark {
 public:
  explicit EmptyRegions(PinnedThreads& pinned) : pinned_(pinned) {}

  measure::TimedBatch run(std::uint64_t regions) override {
    return pinned_.timed_beside([regions, threads = pinned_.size()] {
      for (std::uint64_t i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(threads)
        {
          // Keeps the region: it may have an effect the compiler does not see.
          asm volatile("" : : : "memory");
        }
      }
    });
  }

 private:
  PinnedThreads& pinned_;
};

}  // namespace

Item parallel_region_overhead(const SharedSetup& setup) {
  auto row = new_row(*setup, CeilingKind::overhead, "openmp_parallel_region", "s");
  row.implementation = "openmp";
  return row_item(setup, std::move(row), "OpenMP parallel region", expected_seconds(setup->policies.overhead),
                  [](Setup& s, Ceiling& r) {
                    s.pinned->pin();
                    EmptyRegions regions(*s.pinned);
                    r.value = measure::measure(regions, {1.0, false}, s.policies.overhead);
                  });
}

}  // namespace gable::openmp
