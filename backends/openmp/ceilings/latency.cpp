#include "backends/openmp/ceilings/latency.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "backends/openmp/ceilings/pointer_chase.hpp"
#include "backends/openmp/ceilings/row.hpp"

namespace gable::openmp {
namespace {

constexpr double memory_factor = 4.0;
constexpr std::uint64_t cycle_seed = 0xc4a5e;

void measure_latency(Setup& setup, Ceiling& row, double bytes) {
  Team alone({setup.cpus.front()});
  Array memory(alone, static_cast<std::size_t>(std::ceil(bytes / sizeof(double))), cycle_seed);
  const auto lines = as_lines({memory.data(), memory.size()}, bytes);
  link_random_cycle(lines, cycle_seed);
  PointerChase chase(lines);
  // One way round: the caches then hold what the chase itself left there.
  chase.run(lines.size());
  row.value = measure::measure(chase, {1.0, false}, setup.policies.latency);
  row.working_set_bytes = static_cast<double>(lines.size_bytes());
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
                             [bytes = set.bytes](Setup& s, Ceiling& r) { measure_latency(s, r, bytes); }));
  }
  return items;
}

}  // namespace gable::openmp
