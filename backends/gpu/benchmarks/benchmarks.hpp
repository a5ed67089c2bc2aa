#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/device_facts.hpp"
#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/operands.hpp"

namespace gable::gpu {

/// One thread that follows a random cycle. An iteration is one access that waits for the one before.
std::unique_ptr<GpuBenchmark> make_chase(const ChaseSpec& spec, Stream stream);

/// A compute kernel on every multiprocessor, on random operands. An iteration is one of the kernel's loop.
std::unique_ptr<GpuBenchmark> make_compute(const ComputeKernel& kernel, const DeviceFacts& device, Stream stream);

/// What the first block of a kernel has computed after `iterations`, for a check: [m,n] of a matrix kernel, as doubles.
std::vector<double> matrix_results(const ComputeKernel& kernel, const Factors& factors, std::uint32_t iterations);
/// The same of another kernel, [threads][chains] as they are stored.
std::vector<std::byte> chain_results(const ComputeKernel& kernel, const std::vector<double>& operands,
                                     std::uint32_t iterations, std::size_t value_bytes);

/// The runtime's copy within the device. bytes: of both arrays together; all of them count, read or written.
std::unique_ptr<GpuBenchmark> make_runtime_copy(double bytes, Stream stream);
/// The runtime's copy of `bytes` from one device, which is the current one, to another.
std::unique_ptr<GpuBenchmark> make_peer_copy(int from, int to, double bytes, Stream stream);

/// Empty kernels. enqueue and round_trip are timed on the host, because their cost is the host's; graph_node by events.
std::unique_ptr<GpuBenchmark> make_launches(LaunchKind kind, Stream stream);

/// The vendor's C = A B of random matrices, k contiguous in both factors (the layout every type has). The result has
/// the storage type; of floating-point types of eight bits and less bf16, of int8 int32.
LibraryGemm make_library_gemm(const GemmSpec& spec, Stream stream);

/// Copies between host and device by the runtime, timed by events. An iteration is one copy, or one each way at once;
/// both ways then count together.
std::unique_ptr<GpuBenchmark> make_link(const LinkSpec& spec, Stream stream);

/// What every multiprocessor reads from its L1 or its shared memory (near_sizes.hpp), by as many blocks as
/// compute_blocks() says. An iteration is one pass of all blocks.
std::unique_ptr<GpuBenchmark> make_l1_read(const DeviceFacts& device, Stream stream);
std::unique_ptr<GpuBenchmark> make_shared_read(const DeviceFacts& device, Stream stream);

/// The streaming kernels over arrays filled with random values. An iteration is one pass.
std::unique_ptr<GpuBenchmark> make_stream_benchmark(const StreamSpec& spec, const DeviceFacts& device, Stream stream);

/// What can be measured on the current device, which is the one described, on a stream of its own.
std::shared_ptr<Measurements> make_measurements(const DeviceFacts& device, int device_count);

}  // namespace gable::gpu
