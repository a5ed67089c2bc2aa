#include "backends/openmp/ceilings/ceilings.hpp"

#include <fmt/format.h>

#include "backends/openmp/ceilings/benchmarks.hpp"
#include "backends/openmp/ceilings/setup.hpp"
#include "core/device/datasheet.hpp"

namespace gable::openmp {
namespace {

constexpr Access accesses[] = {Access::read, Access::write, Access::copy, Access::update, Access::triad};

/// A level of the memory with the working set that is planned for it.
struct LevelWorkingSet {
  WorkingSet set;
  std::size_t depth{};
};

void measure_bandwidth(Setup& setup, Ceiling& row, const StreamChoice& choice, const LevelWorkingSet& level) {
  StreamBenchmark benchmark(setup, choice, found_sets(setup, row.reason)[level.depth].bytes);
  row.value = measure::measure(benchmark, {benchmark.bytes_per_pass(), true}, setup.policies.stream);
  row.working_set_bytes = benchmark.working_set_bytes();
  if (row.stores == Stores::ordinary && row.access != Access::update && level.depth > 0) {
    row.with_write_allocate = row.value.value * write_allocate_factor(row.access);
  }
  benchmark.probe().report(row.conditions);
}

/// Time that the policy does not count: filling the arrays, and passes over main memory that are longer than a batch.
double expected_stream_seconds(const Setup& setup, const WorkingSet& set) {
  const double pass_s = set.bytes / (expected_bytes_per_thread_and_s * setup.threads());
  return expected_seconds(setup.policies.stream) + 4 * pass_s;
}

Item stream_item(const SharedSetup& setup, const LevelWorkingSet& level, Access access, Stores stores) {
  auto row = new_row(*setup, CeilingKind::bandwidth, level.set.level, "byte/s");
  row.access = access;
  row.stores = stores;
  row.at = OperatingPoint::sustained;
  row.data_pattern = "random_uniform";
  const auto choice = stream_kernel(setup->instructions, access, stores);
  if (choice.kernel == nullptr) {
    mark(row, Status::unsupported,
         fmt::format("no instruction set of this CPU has a kernel for {} with stores: {}", to_string(access),
                     to_string(stores)));
  } else {
    row.implementation = choice.table->name;
    if (level.set.reason.empty())
      add_datasheet(setup->device, row);
    else
      mark(row, Status::skipped, level.set.reason);
  }
  auto title = fmt::format("{} {}{}", level.set.level, to_string(access),
                           stores == Stores::non_temporal ? ", non-temporal stores" : "");
  return row_item(setup, std::move(row), std::move(title), expected_stream_seconds(*setup, level.set),
                  [choice, level](Setup& s, Ceiling& r) { measure_bandwidth(s, r, choice, level); });
}

/// The innermost cache has none: it serves lines in any order as fast as in theirs.
bool has_random(std::span<const Level> levels, std::size_t i) { return i > 0 || levels[i].capacity_bytes <= 0; }

/// Lines at random, in a power of two of them: of a cache hardly larger than what lies inside that may be too few.
Item random_item(const SharedSetup& setup, std::span<const Level> levels, LevelWorkingSet level) {
  const double set_bytes = random_set_bytes(level.set.bytes, setup->threads());
  if (level.set.reason.empty() && level.depth > 0 && set_bytes < 1.25 * levels[level.depth - 1].capacity_bytes) {
    level.set.reason = fmt::format("the largest power of two of lines in it, {:.2f} MiB, is hardly more than {} holds",
                                   set_bytes / (1024.0 * 1024.0), levels[level.depth - 1].name);
  }
  return stream_item(setup, level, Access::random, Stores::none);
}

}  // namespace

std::vector<Item> bandwidth_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  const auto levels = setup->levels();
  const auto sets = setup->sets();
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const LevelWorkingSet level{sets[i], i};
    for (const auto access : accesses) {
      const auto stores = access == Access::read ? Stores::none : Stores::ordinary;
      items.push_back(stream_item(setup, level, access, stores));
    }
    if (has_random(levels, i)) items.push_back(random_item(setup, levels, level));
    if (levels[i].capacity_bytes > 0) continue;
    for (const auto access : accesses) {
      const bool stores_alone = access != Access::read && access != Access::update;
      if (stores_alone) items.push_back(stream_item(setup, level, access, Stores::non_temporal));
    }
  }
  return items;
}

}  // namespace gable::openmp
