#include "backends/openmp/ceilings/latency.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "backends/openmp/ceilings/pointer_chase.hpp"
#include "backends/openmp/ceilings/row.hpp"

namespace gable::openmp {
namespace {

constexpr double memory_factor = 4.0;
constexpr std::uint64_t cycle_seed = 0xc4a5e;

/// Lines linked to one cycle, in memory that the first cpu touched first, and walked once: the caches then hold what
/// the chase itself left there.
struct Cycle {
  Cycle(Team& alone, double bytes)
      : memory(alone, static_cast<std::size_t>(std::ceil(bytes / sizeof(double))), cycle_seed),
        lines(as_lines({memory.data(), memory.size()}, bytes)) {
    link_random_cycle(lines, cycle_seed);
    PointerChase(lines).run(lines.size());
  }

  Array memory;
  std::span<ChaseLine> lines;
};

/// Linking a cycle takes longer than a round of chasing it: a small part of the memory is kept for the next round.
using Kept = std::shared_ptr<std::unique_ptr<Cycle>>;

void measure_latency(Setup& setup, Ceiling& row, double bytes, const Kept& kept) {
  constexpr double small = 0.25;
  Team alone({setup.cpus.front()});
  if (!*kept) *kept = std::make_unique<Cycle>(alone, bytes);
  PointerChase chase((*kept)->lines);
  row.value = measure::measure(chase, {1.0, false}, setup.policies.latency);
  row.working_set_bytes = static_cast<double>((*kept)->lines.size_bytes());
  if (bytes > small * setup.budget_bytes) kept->reset();
}

}  // namespace

std::vector<Item> latency_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  for (const auto& set :
       working_sets(levels_of(setup->device, setup->request.scope, 1), setup->budget_bytes, memory_factor)) {
    auto row = new_row(*setup, CeilingKind::latency, set.level, "s");
    row.threads = 1;
    row.implementation = "pointer_chase";
    row.data_pattern = "random_cycle";
    if (!set.reason.empty()) {
      row.status = Status::skipped;
      row.reason = set.reason;
    }
    // Making and walking the cycle takes some 100 ns a line.
    const double expected_s = expected_seconds(setup->policies.latency) + set.bytes / sizeof(ChaseLine) * 1e-7;
    items.push_back(row_item(setup, std::move(row), fmt::format("{} latency", set.level), expected_s,
                             [bytes = set.bytes, kept = std::make_shared<std::unique_ptr<Cycle>>()](
                                 Setup& s, Ceiling& r) { measure_latency(s, r, bytes, kept); }));
  }
  return items;
}

}  // namespace gable::openmp
