#include "backends/openmp/ceilings/pointer_chase.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
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

/// Every index below `count` once, in a random order without an end, each from the one before without a table: links
/// are written in the order of the memory, where Sattolo's shuffle would wait for main memory at every line.
///
/// A linear congruential generator modulo 2^k with an odd increment and a multiplier of 1 modulo 4 goes through all
/// 2^k values in one cycle (Hull and Dobell, SIAM Review 4(3), 1962). Its low bits have short periods, so an index is
/// not its value x but mix(x), a permutation of k-bit words made of steps that each can be undone. Values whose index
/// is not below `count` are passed over, which leaves one cycle of the others.
class RandomCycle {
 public:
  RandomCycle(std::size_t count, std::uint64_t seed)
      : count_(count),
        bits_(std::max(2, static_cast<int>(std::bit_width(count - 1)))),
        mask_((std::uint64_t{1} << bits_) - 1),
        increment_((2 * seed + 1) & mask_) {}

  std::size_t after(std::size_t index) const {
    std::uint64_t at = unmix(index);
    do {
      at = (multiplier * at + increment_) & mask_;
    } while (mix(at) >= count_);
    return static_cast<std::size_t>(mix(at));
  }

 private:
  static constexpr std::uint64_t multiplier = 6364136223846793005ULL;  // Knuth's MMIX generator: 1 modulo 4
  static constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ULL;
  static constexpr std::uint64_t inverse_of_odd = 0xF1DE83E19937733DULL;  // modulo 2^64
  static_assert(odd * inverse_of_odd == 1 && multiplier % 4 == 1);

  std::uint64_t mix(std::uint64_t x) const {
    for (int i = 0; i < 2; ++i) x = (fold(x) * odd) & mask_;
    return fold(x);
  }
  std::uint64_t unmix(std::uint64_t x) const {
    x = fold(x);
    for (int i = 0; i < 2; ++i) x = fold((x * inverse_of_odd) & mask_);
    return x;
  }
  /// Adds the upper half of the bits to the lower one; done twice, nothing has changed.
  std::uint64_t fold(std::uint64_t x) const { return x ^ (x >> ((bits_ + 1) / 2)); }

  std::uint64_t count_;
  int bits_;
  std::uint64_t mask_, increment_;
};

}  // namespace

void link_random_cycle(std::span<ChaseLine> lines, std::uint64_t seed) {
  const RandomCycle cycle(lines.size(), seed);
  for (std::size_t i = 0; i < lines.size(); ++i) std::construct_at(&lines[i], &lines[cycle.after(i)]);
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
