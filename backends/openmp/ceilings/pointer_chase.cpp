#include "backends/openmp/ceilings/pointer_chase.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "backends/openmp/sentinel.hpp"
#include "core/measure/steal.hpp"

namespace gable::openmp {
namespace {

double involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<double>(usage.ru_nivcsw);
}

/// xorshift64* (Vigna, ACM TOMS 42(4), 2016); the seed must not be 0.
std::uint64_t next_random(std::uint64_t& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545F4914F6CDD1DULL;
}

}  // namespace

void link_random_cycle(std::span<ChaseLine> lines, std::uint64_t seed) {
  for (auto& line : lines) std::construct_at(&line, &line);
  std::uint64_t state = seed | 1;
  for (std::size_t i = lines.size(); i > 1; --i) {
    // Below 2^32 lines the upper half of the product is uniform to 2^-32.
    const auto j = static_cast<std::size_t>(((next_random(state) >> 32) * (i - 1)) >> 32);
    std::swap(lines[i - 1].next, lines[j].next);
  }
}

measure::Sample PointerChase::run(std::uint64_t accesses) {
  measure::Sample sample;
  SentinelPair sentinels;
  sentinels.before = run_sentinel();
  const int cpu = sched_getcpu();
  const measure::StealWatch steal(std::span<const int>(&cpu, 1));
  const double switches = involuntary_switches();
  const auto start = std::chrono::steady_clock::now();
  ChaseLine* at = at_;
  std::uint64_t left = accesses;
  for (; left >= 8; left -= 8) at = at->next->next->next->next->next->next->next->next;
  for (; left > 0; --left) at = at->next;
  at_ = at;
  // The next run starts from here; the barrier makes the chase end before the clock is read.
  asm volatile("" : "+r"(at_) : : "memory");
  sample.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  sample.involuntary_switches = involuntary_switches() - switches;
  sentinels.after = run_sentinel();
  sample.stolen_s = steal.since();
  describe({&sentinels, 1}, sample);
  return sample;
}

std::span<ChaseLine> as_lines(std::span<double> memory, double bytes) {
  const auto wanted = static_cast<std::size_t>(bytes) / sizeof(ChaseLine);
  const auto lines = std::min(wanted, memory.size_bytes() / sizeof(ChaseLine));
  return {reinterpret_cast<ChaseLine*>(memory.data()), lines};
}

}  // namespace gable::openmp
