#include "backends/gpu/benchmarks/benchmarks.hpp"
#include "backends/gpu/library.hpp"

namespace gable::gpu {

void DeviceMeasurements::wake_up() {
  constexpr double idle_after_s = 2.0;
  constexpr double enough_s = 0.3;
  constexpr double batch_s = 10e-3;
  auto& clock = measure::steady_clock();
  if (!woken_ || clock.now() - *woken_ > idle_after_s) {
    const auto work = shared_read();
    std::uint64_t passes = 1;
    for (double worked_s = 0.0; worked_s < enough_s;) {
      const double now_s = work->run(passes).time_s;
      worked_s += now_s;
      if (now_s < batch_s) passes *= 2;
    }
  }
  woken_ = clock.now();
}

std::string DeviceMeasurements::library_name(DType storage) { return gpu::library_name(storage); }

std::vector<Measurements::Peer> DeviceMeasurements::peers() {
  std::vector<Peer> found;
  for (int index = 0; index < device_count_; ++index) {
    if (index != device_.index) found.push_back({index, can_reach(device_.index, index)});
  }
  return found;
}

}  // namespace gable::gpu
