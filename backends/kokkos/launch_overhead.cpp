#include "backends/kokkos/launch_overhead.hpp"

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/measure/timed.hpp"

namespace gable::kokkos {
namespace {

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

using Space = Kokkos::DefaultExecutionSpace;
constexpr bool on_host = std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>;
constexpr int warp = 32;

class LaunchOverhead final : public measure::Benchmark {
 public:
  LaunchOverhead(bool fence_each, measure::Timer timer) : fence_each_(fence_each), timer_(std::move(timer)) {}

  measure::Sample run(std::uint64_t iterations) override {
    const Space space;
    const Kokkos::RangePolicy<Space> range(space, 0, on_host ? space.concurrency() : warp);
    space.fence();
    return measure::timed_by(timer_, [&] {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        Kokkos::parallel_for("gable::launch_overhead", range, Nothing{});
        if (fence_each_) space.fence();
      }
      space.fence();
    });
  }

 private:
  bool fence_each_;
  measure::Timer timer_;
};

}  // namespace

std::unique_ptr<measure::Benchmark> launch_overhead(bool fence_each, measure::Timer timer) {
  return std::make_unique<LaunchOverhead>(fence_each, std::move(timer));
}

}  // namespace gable::kokkos
