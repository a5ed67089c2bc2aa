#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/measure/sampler.hpp"

namespace gable::openmp {

/// One cache line of a chase: where to go next, and nothing else.
struct alignas(64) ChaseLine {
  ChaseLine* next;
};

/// Links the lines into one random cycle that visits every line once. Visited in turn, a line comes back only after all
/// others, so that a cache smaller than the cycle which replaces the least recently used line holds none of it; and no
/// prefetcher finds a stride.
void link_random_cycle(std::span<ChaseLine> lines, std::uint64_t seed);

/// Follows a cycle of links with one thread, the calling one. One iteration is one access that waits for the one
/// before.
class PointerChase final : public measure::Benchmark {
 public:
  explicit PointerChase(std::span<ChaseLine> cycle) : at_(cycle.data()) {}
  measure::Sample run(std::uint64_t accesses) override;

 private:
  ChaseLine* at_;
};

/// The first `bytes` of memory as lines (64-byte aligned memory, whole lines only).
std::span<ChaseLine> as_lines(std::span<double> memory, double bytes);

}  // namespace gable::openmp
