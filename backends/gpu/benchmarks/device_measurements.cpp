#include "backends/gpu/benchmarks/benchmarks.hpp"

#include <cstdint>
#include <optional>

#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/library.hpp"

namespace gable::gpu {
namespace {

class DeviceMeasurements final : public Measurements {
 public:
  DeviceMeasurements(const DeviceFacts& device, int device_count)
      : device_(device), device_count_(device_count), stream_(create_stream()) {}
  ~DeviceMeasurements() override { destroy(stream_); }
  DeviceMeasurements(const DeviceMeasurements&) = delete;
  DeviceMeasurements& operator=(const DeviceMeasurements&) = delete;

  void wake_up() override {
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
  std::vector<ComputeKernel> kernels() override { return compute_kernels(); }
  std::unique_ptr<GpuBenchmark> compute(const ComputeKernel& kernel) override {
    return make_compute(kernel, device_, stream_);
  }
  std::string library_name(DType storage) override { return gpu::library_name(storage); }
  LibraryGemm library_gemm(const GemmSpec& spec) override { return make_library_gemm(spec, stream_); }
  std::unique_ptr<GpuBenchmark> stream(const StreamSpec& spec) override {
    return make_stream_benchmark(spec, device_, stream_);
  }
  std::unique_ptr<GpuBenchmark> l1_read() override { return make_l1_read(device_, stream_); }
  std::unique_ptr<GpuBenchmark> shared_read() override { return make_shared_read(device_, stream_); }
  std::unique_ptr<GpuBenchmark> runtime_copy(double bytes) override { return make_runtime_copy(bytes, stream_); }
  std::unique_ptr<GpuBenchmark> chase(const ChaseSpec& spec) override { return make_chase(spec, stream_); }
  std::unique_ptr<GpuBenchmark> launches(LaunchKind kind) override { return make_launches(kind, stream_); }
  std::unique_ptr<GpuBenchmark> link(const LinkSpec& spec) override { return make_link(spec, stream_); }

  std::vector<Peer> peers() override {
    std::vector<Peer> found;
    for (int index = 0; index < device_count_; ++index) {
      if (index != device_.index) found.push_back({index, can_reach(device_.index, index)});
    }
    return found;
  }
  std::unique_ptr<GpuBenchmark> peer_copy(int to, double bytes) override {
    if (can_reach(device_.index, to)) enable_peer(device_.index, to);
    return make_peer_copy(device_.index, to, bytes, stream_);
  }

 private:
  DeviceFacts device_;
  int device_count_;
  Stream stream_;
  std::optional<double> woken_;  ///< when it was last asked to be awake
};

}  // namespace

std::shared_ptr<Measurements> make_measurements(const DeviceFacts& device, int device_count) {
  return std::make_shared<DeviceMeasurements>(device, device_count);
}

}  // namespace gable::gpu
