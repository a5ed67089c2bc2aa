#include "backends/kokkos/runtime.hpp"

#include <fmt/format.h>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/error.hpp"

namespace gable::kokkos {

Runtime::Runtime(int threads, int device) {
  if (Kokkos::is_initialized()) throw Error("Kokkos is already running");
  if (Kokkos::is_finalized()) throw Error("Kokkos cannot be started a second time in one process");
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  settings.set_print_configuration(false);
  if (threads > 0) settings.set_num_threads(threads);
  if (device >= 0) settings.set_device_id(device);
  Kokkos::initialize(settings);
  const int got = Kokkos::DefaultHostExecutionSpace().concurrency();
  if (threads > 0 && got != threads) {
    Kokkos::finalize();
    throw Error(fmt::format("Kokkos started with {} of {} host threads", got, threads));
  }
  if (const std::string fault = layout_fault(layouts()); !fault.empty()) {
    Kokkos::finalize();
    throw Error(fault);
  }
}

Runtime::~Runtime() { Kokkos::finalize(); }

std::string version() {
  return fmt::format("{}.{}.{}", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100);
}

namespace {

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

using Space = Kokkos::DefaultExecutionSpace;
constexpr int warp = 32;

class LaunchOverhead final : public measure::Benchmark {
 public:
  LaunchOverhead(bool fence_each, measure::Timer timer) : fence_each_(fence_each), timer_(std::move(timer)) {}

  measure::TimedBatch run(std::uint64_t iterations) override {
    const Space space;
    constexpr bool on_host = std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>;
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
