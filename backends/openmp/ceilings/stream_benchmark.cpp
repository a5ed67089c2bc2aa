#include "backends/openmp/ceilings/stream_benchmark.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace gable::openmp {
namespace {

constexpr std::size_t vector_doubles = 64;
/// Keeps arrays of one thread from beginning at the same offset within a page: a load that follows a store to
/// the same 12 address bits waits for it.
constexpr std::size_t skew_doubles = 64;

std::size_t array_doubles(double working_set_bytes, int threads, int arrays) {
  const auto doubles = static_cast<std::size_t>(working_set_bytes / sizeof(double) / threads / arrays);
  return std::max(vector_doubles, doubles / vector_doubles * vector_doubles);
}

/// Distance of two arrays of n doubles: a whole number of pages and the skew.
std::size_t array_distance(std::size_t n) {
  constexpr std::size_t page_doubles = 4096 / sizeof(double);
  return (n + page_doubles - 1) / page_doubles * page_doubles + skew_doubles;
}

/// Random doubles in [0.5, 1.5). Rows before may have left constants or pointers, which are subnormal as doubles.
void fill(double* first, std::size_t count, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;  // Knuth's MMIX generator
    first[i] = std::bit_cast<double>((state >> 12) | 0x3FF0000000000000ULL) - 0.5;
  }
}

}  // namespace

int arrays_of(Access access) {
  if (access == Access::triad) return 3;
  return access == Access::copy ? 2 : 1;
}

double write_allocate_factor(Access access) {
  if (access == Access::update) return 1;  // its stores hit what its loads have fetched
  const double writes = 1.0 - read_fraction(access);
  return 1.0 + writes;
}

StreamBenchmark::StreamBenchmark(Setup& setup, const StreamChoice& choice, double working_set_bytes)
    : team_(*setup.team),
      kernel_(*choice.kernel),
      count_(arrays_of(parse_access(choice.kernel->access).value())),
      moves_(parse_access(choice.kernel->access) == Access::update ? 2 : 1),
      n_(array_doubles(working_set_bytes, setup.threads(), count_)),
      sinks_(static_cast<std::size_t>(setup.threads())),
      probe_({choice.table, nullptr}, setup.instructions) {
  const auto count = static_cast<std::size_t>(count_);
  const auto room = setup.slice(0).size();
  while (n_ > vector_doubles && array_distance(n_) * (count - 1) + n_ > room) n_ -= vector_doubles;
  const std::size_t distance = array_distance(n_);
  for (int rank = 0; rank < setup.threads(); ++rank) {
    double* const first = setup.slice(rank).data();
    arrays_.push_back({first, count > 1 ? first + distance : nullptr, count > 2 ? first + 2 * distance : nullptr});
  }
  team_.each([&](int rank) {
    double* first = arrays_[static_cast<std::size_t>(rank)].a;
    fill(first, distance * (count - 1) + n_, static_cast<std::uint64_t>(rank) + 1);
  });
}

measure::Sample StreamBenchmark::run(std::uint64_t passes) {
  constexpr double sets_the_clock_s = 2e-4;
  const auto sample = team_.timed([&](int rank) {
    const auto slot = static_cast<std::size_t>(rank);
    const auto& [a, b, c] = arrays_[slot];
    kernel_.run(a, b, c, n_, passes, &sinks_[slot]);
  });
  if (sample.time_s >= sets_the_clock_s) probe_.take(team_);
  return sample;
}

double StreamBenchmark::bytes_per_pass() const { return moves_ * working_set_bytes(); }

double StreamBenchmark::working_set_bytes() const {
  return static_cast<double>(n_ * sizeof(double)) * count_ * static_cast<double>(arrays_.size());
}

}  // namespace gable::openmp
