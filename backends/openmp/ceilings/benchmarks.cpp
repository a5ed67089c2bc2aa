#include "backends/openmp/ceilings/benchmarks.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "backends/openmp/ceilings/array_layout.hpp"

namespace gable::openmp {

ComputeBenchmark::ComputeBenchmark(Setup& setup, const ComputeChoice& choice)
    : pinned_(*setup.pinned),
      kernel_(*choice.kernel),
      operands_(choice.kernel->dtype),
      sinks_(static_cast<std::size_t>(pinned_.size())),
      probe_(choice, setup.instructions) {}

measure::TimedBatch ComputeBenchmark::run(std::uint64_t iterations) {
  constexpr double sets_the_clock_s = 2e-4;
  const auto batch = pinned_.timed(
      [&](int rank) { kernel_.run(iterations, operands_.data(), &sinks_[static_cast<std::size_t>(rank)]); });
  if (batch.time_s >= sets_the_clock_s) probe_.take(pinned_);
  return batch;
}

double write_allocate_factor(Access access) {
  if (access == Access::update) return 1;  // its stores hit what its loads have fetched
  const double writes = 1.0 - read_fraction(access);
  return 1.0 + writes;
}

double random_set_bytes(double planned_bytes, int threads) {
  constexpr std::size_t least = 64 * sizeof(double);
  const auto of_thread = static_cast<std::size_t>(planned_bytes / threads);
  return static_cast<double>(std::bit_floor(std::max(least, of_thread))) * threads;
}

StreamBenchmark::StreamBenchmark(Setup& setup, const StreamChoice& choice, double working_set_bytes)
    : pinned_(*setup.pinned),
      kernel_(*choice.kernel),
      access_(parse_name<Access>(choice.kernel->access).value()),
      sinks_(static_cast<std::size_t>(setup.threads())),
      probe_({choice.table, nullptr}, setup.instructions) {
  if (access_ == Access::random) working_set_bytes = random_set_bytes(working_set_bytes, setup.threads());
  const int count = arrays_of(access_);
  const auto doubles = static_cast<std::size_t>(working_set_bytes / sizeof(double) / setup.threads() / count);
  const auto layout = array_layout(access_, doubles, setup.slice(0).size());
  n_ = layout.doubles;
  for (int rank = 0; rank < setup.threads(); ++rank) {
    double* const a = setup.slice(rank).data();
    arrays_.push_back({a, count > 1 ? a + layout.b : nullptr, count > 2 ? a + layout.c : nullptr});
  }
  // Earlier rows may have left constants, or pointers, which read as subnormal doubles.
  pinned_.each([&](int rank) {
    fill_random(arrays_[static_cast<std::size_t>(rank)].a, layout.extent(), static_cast<std::uint64_t>(rank) + 1);
  });
}

measure::TimedBatch StreamBenchmark::run(std::uint64_t passes) {
  constexpr double sets_the_clock_s = 2e-4;
  const auto batch = pinned_.timed([&](int rank) {
    const auto slot = static_cast<std::size_t>(rank);
    const auto& [a, b, c] = arrays_[slot];
    kernel_.run(a, b, c, n_, passes, &sinks_[slot]);
  });
  if (batch.time_s >= sets_the_clock_s) probe_.take(pinned_);
  return batch;
}

double StreamBenchmark::bytes_per_pass() const {
  const int moves = access_ == Access::update ? 2 : 1;  // it reads and writes its array
  return moves * working_set_bytes();
}

double StreamBenchmark::working_set_bytes() const {
  return static_cast<double>(n_ * sizeof(double)) * arrays_of(access_) * static_cast<double>(arrays_.size());
}

namespace {

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

measure::TimedBatch PointerChase::run(std::uint64_t accesses) {
  return alone_.timed([&](int) {
    ChaseLine* at = at_;
    std::uint64_t left = accesses;
    for (; left >= 8; left -= 8) at = at->next->next->next->next->next->next->next->next;
    for (; left > 0; --left) at = at->next;
    at_ = at;
    // The next run starts from here; the barrier makes the chase end before the clock is read.
    asm volatile("" : "+r"(at_) : : "memory");
  });
}

std::span<ChaseLine> as_lines(std::span<double> memory, double bytes) {
  const auto wanted = static_cast<std::size_t>(bytes) / sizeof(ChaseLine);
  const auto lines = std::min(wanted, memory.size_bytes() / sizeof(ChaseLine));
  return {reinterpret_cast<ChaseLine*>(memory.data()), lines};
}

}  // namespace gable::openmp
