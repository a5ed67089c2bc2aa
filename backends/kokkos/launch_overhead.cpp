#include "backends/kokkos/launch_overhead.hpp"

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdint>

namespace gable::kokkos {
namespace {

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

class LaunchOverhead final : public measure::Benchmark {
 public:
  measure::Sample run(std::uint64_t iterations) override {
    using Clock = std::chrono::steady_clock;
    const Kokkos::DefaultExecutionSpace space;
    const Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace> range(space, 0, space.concurrency());
    space.fence();
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < iterations; ++i) {
      Kokkos::parallel_for("gable::launch_overhead", range, Nothing{});
      space.fence();
    }
    return {std::chrono::duration<double>(Clock::now() - start).count()};
  }
};

}  // namespace

std::unique_ptr<measure::Benchmark> launch_overhead() { return std::make_unique<LaunchOverhead>(); }

}  // namespace gable::kokkos
