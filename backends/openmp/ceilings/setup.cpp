#include "backends/openmp/ceilings/setup.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gable::openmp {
namespace {

/// Slices begin on 2 MiB boundaries: whole huge pages, and the same alignment for every thread.
constexpr std::size_t slice_grain = 2 * 1024 * 1024 / sizeof(double);
/// quick: the least that leaves nothing in a cache that replaces the least recently used line; full: each array of a
/// triad is 4 x the caches (STREAM's rule), for caches that do not.
constexpr double quick_memory_factor = 4.0;
constexpr double full_memory_factor = 12.0;
constexpr std::uint64_t memory_seed = 0x6ab1e;

}  // namespace

std::vector<Level> Setup::levels() const { return levels_of(device, request.scope, threads()); }

std::vector<WorkingSet> Setup::sets() const {
  return working_sets(levels(), budget_bytes, full() ? full_memory_factor : quick_memory_factor);
}

Array& Setup::memory() {
  if (!memory_) {
    double bytes = 0.0;
    for (const auto& set : sets()) bytes = std::max(bytes, set.bytes);
    const auto per_thread = static_cast<std::size_t>(std::ceil(bytes / sizeof(double) / threads()));
    const std::size_t grains = std::max<std::size_t>(1, (per_thread + slice_grain - 1) / slice_grain);
    memory_.emplace(*team, grains * slice_grain * static_cast<std::size_t>(threads()), memory_seed);
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

SharedSetup narrowed(const Setup& setup, int threads) {
  auto narrow = std::make_shared<Setup>();
  narrow->device = setup.device;
  narrow->request = setup.request;
  narrow->cpus.assign(setup.cpus.begin(), setup.cpus.begin() + threads);
  narrow->instructions = setup.instructions;
  narrow->policies = setup.policies;
  narrow->budget_bytes = setup.budget_bytes;
  narrow->team = std::make_shared<Team>(narrow->cpus);
  narrow->conditions = setup.conditions;
  return narrow;
}

}  // namespace gable::openmp
