#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/device_facts.hpp"
#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/operands.hpp"

namespace gable::gpu {

/// Measurements on the current device, which is the one described, on a stream of its own.
class DeviceMeasurements final : public Measurements {
 public:
  DeviceMeasurements(const DeviceFacts& device, int device_count)
      : device_(device), device_count_(device_count), stream_(create_stream()) {}

  void wake_up() override;
  std::vector<ComputeKernel> kernels() override { return compute_kernels(); }
  std::unique_ptr<GpuBenchmark> compute(const ComputeKernel& kernel) override;
  std::string library_name(DType storage) override;
  LibraryGemm library_gemm(const GemmSpec& spec) override;
  std::unique_ptr<GpuBenchmark> stream(const StreamSpec& spec) override;
  std::unique_ptr<GpuBenchmark> l1_read() override;
  std::unique_ptr<GpuBenchmark> shared_read() override;
  std::unique_ptr<GpuBenchmark> runtime_copy(double bytes) override;
  std::unique_ptr<GpuBenchmark> chase(const ChaseSpec& spec) override;
  std::unique_ptr<GpuBenchmark> launches(LaunchKind kind) override;
  std::unique_ptr<GpuBenchmark> link(const LinkSpec& spec) override;
  std::vector<Peer> peers() override;
  std::unique_ptr<GpuBenchmark> peer_copy(int to_device, double bytes) override;

 private:
  Stream stream() const { return stream_.get(); }

  DeviceFacts device_;
  int device_count_;
  OwnedStream stream_;
  std::optional<double> woken_;  ///< when it was last asked to be awake
};

/// What the first block of a kernel has computed after `iterations`, for a check: [m,n] of a matrix kernel, as doubles.
std::vector<double> matrix_results(const ComputeKernel& kernel, const Factors& factors, std::uint32_t iterations);
/// The same of another kernel, [threads][chains] as they are stored.
std::vector<std::byte> chain_results(const ComputeKernel& kernel, const std::vector<double>& operands,
                                     std::uint32_t iterations, std::size_t value_bytes);

}  // namespace gable::gpu
