#include "backends/kokkos/launch_overhead.hpp"

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "core/measure/timed.hpp"

namespace gable::kokkos {
namespace {

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

class LaunchOverhead final : public measure::Benchmark {
 public:
  measure::Sample run(std::uint64_t iterations) override {
    const Kokkos::DefaultExecutionSpace space;
    const Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace> range(space, 0, space.concurrency());
    space.fence();
    return measure::timed([&] {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        Kokkos::parallel_for("gable::launch_overhead", range, Nothing{});
        space.fence();
      }
    });
  }
};

}  // namespace

std::unique_ptr<measure::Benchmark> launch_overhead() { return std::make_unique<LaunchOverhead>(); }

}  // namespace gable::kokkos
