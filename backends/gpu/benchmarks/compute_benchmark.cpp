#include <algorithm>
#include <span>

#include "backends/gpu/benchmarks/benchmarks.hpp"
#include "backends/gpu/benchmarks/clocked_benchmark.hpp"
#include "backends/gpu/buffer.hpp"
#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/gpu/operands.hpp"

namespace gable::gpu {
namespace {

constexpr std::uint64_t seed = 0xc0de;
/// Of one launch; it then takes seconds at most.
constexpr std::uint64_t most_iterations = 1U << 20;
/// Of the launch before the first event: some ten microseconds, in which the host enqueues what is timed.
constexpr std::uint32_t lead_in = 16;

Buffer on_device(std::span<const std::byte> bytes, Stream stream) {
  Buffer buffer(bytes.size());
  copy_async(buffer.as<void>(), bytes.data(), bytes.size(), Copy::to_device, stream);
  synchronize(stream);
  return buffer;
}

/// A kernel's operands in the memory of the device.
struct Operands {
  Buffer a, b;

  Operands(const ComputeKernel& kernel, const Factors& factors, Stream stream)
      : a(on_device(encode(kernel.storage, factors.a), stream)),
        b(on_device(encode(kernel.storage, factors.b), stream)) {}
  Operands(std::span<const double> chains, Stream stream) : a(on_device(std::as_bytes(chains), stream)) {}

  static Operands random(const ComputeKernel& kernel, Stream stream) {
    if (kernel.unit == Unit::matrix) return {kernel, normal_factors(kernel, seed), stream};
    return {chain_values(seed), stream};
  }
};

/// A compute kernel on every multiprocessor, on random operands. An iteration is one of the kernel's loop.
class ComputeBenchmark final : public ClockedBenchmark {
 public:
  ComputeBenchmark(const ComputeKernel& kernel, const DeviceFacts& device, Stream stream)
      : ClockedBenchmark(stream), kernel_(kernel), operands_(Operands::random(kernel, stream)) {
    launch_.a = operands_.a.as<void>();
    launch_.b = operands_.b.as<void>();
    launch_.blocks = compute_blocks(device.isa, device.multiprocessors, kernel.blocks_per_multiprocessor);
    launch_.stamp = stamp();
    launch_.stream = stream;
  }

  double per_iteration() const override { return kernel_.operations * launch_.blocks; }

  measure::TimedBatch run(std::uint64_t iterations) override {
    enqueue(lead_in);
    return timed([&] {
      for (std::uint64_t left = iterations; left > 0;) {
        const auto now = std::min(left, most_iterations);
        enqueue(static_cast<std::uint32_t>(now));
        left -= now;
      }
    });
  }

 private:
  void enqueue(std::uint32_t iterations) {
    launch_.iterations = iterations;
    kernel_.enqueue(launch_);
  }

  ComputeKernel kernel_;
  Operands operands_;
  ComputeLaunch launch_;
};

/// The bytes that the first block of two stores.
std::vector<std::byte> results_of(const ComputeKernel& kernel, const Operands& operands, std::uint32_t iterations,
                                  std::size_t bytes, Stream stream) {
  const DeviceClock clock(stream);
  const Buffer results(bytes);
  ComputeLaunch launch{.a = operands.a.as<void>(),
                       .b = operands.b.as<void>(),
                       .results = results.as<void>(),
                       .iterations = iterations,
                       .blocks = 2,
                       .reporting_block = 0,
                       .stamp = clock.stamp(),
                       .stream = stream};
  kernel.enqueue(launch);
  std::vector<std::byte> stored(bytes);
  copy_async(stored.data(), results.as<void>(), bytes, Copy::to_host, stream);
  synchronize(stream);
  return stored;
}

}  // namespace

std::unique_ptr<GpuBenchmark> DeviceMeasurements::compute(const ComputeKernel& kernel) {
  return std::make_unique<ComputeBenchmark>(kernel, device_, stream());
}

std::vector<double> matrix_results(const ComputeKernel& kernel, const Factors& factors, std::uint32_t iterations) {
  const Stream stream{};
  const auto count = static_cast<std::size_t>(kernel.m) * static_cast<std::size_t>(kernel.n);
  const auto bytes = count * static_cast<std::size_t>(size_bytes(kernel.accumulate));
  return decode(kernel.accumulate, results_of(kernel, Operands(kernel, factors, stream), iterations, bytes, stream),
                count);
}

std::vector<std::byte> chain_results(const ComputeKernel& kernel, const std::vector<double>& operands,
                                     std::uint32_t iterations, std::size_t value_bytes) {
  const Stream stream{};
  const auto count = static_cast<std::size_t>(kernel.threads) * static_cast<std::size_t>(kernel.chains);
  return results_of(kernel, Operands(operands, stream), iterations, count * value_bytes, stream);
}

std::vector<ComputeKernel> compute_kernels() {
  auto kernels = vector_kernels();
  const auto own = own_kernels();
  for (auto& shared : kernels) {
    shared.beside = std::ranges::any_of(own, [&](const ComputeKernel& kernel) {
      return kernel.unit == shared.unit && kernel.storage == shared.storage && kernel.accumulate == shared.accumulate;
    });
  }
  kernels.insert(kernels.end(), own.begin(), own.end());
  const auto missing = missing_kernels(GABLE_GPU_ARCH);
  kernels.insert(kernels.end(), missing.begin(), missing.end());
  return kernels;
}

}  // namespace gable::gpu
