#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "core/measure/sampler.hpp"
#include "core/model/ceiling.hpp"

namespace gable::gpu {

/// A benchmark on the opened device that knows what one iteration did.
class GpuBenchmark : public measure::Benchmark {
 public:
  /// What one iteration moves in byte, or does in flop or op; for latencies and launches the iteration's share of one
  /// access or launch (1, or 1/n where an iteration has n of them).
  virtual double per_iteration() const = 0;
  /// Called by long batches while the device works and the host only waits.
  void while_busy(std::function<void()> call) { while_busy_ = std::move(call); }

 protected:
  void busy() const {
    if (while_busy_) while_busy_();
  }

 private:
  std::function<void()> while_busy_;
};

/// A stream over arrays of together working_set_bytes in device memory. hot: one kernel goes over the same arrays again
/// and again; cold: every pass is a kernel on other arrays, so many that the caches lose those that come back. Lines at
/// random: hot, in a power of two of bytes.
struct StreamSpec {
  Access access{Access::read};
  double working_set_bytes{};
  bool cold{};
};

/// The level that a chain of dependent loads is in. l2: loads bypass L1, after one pass that brings the chain into the
/// cache that can hold it; memory: after the caches were flushed.
enum class ChaseLevel { shared, l1, l2, memory };
struct ChaseSpec {
  ChaseLevel level{};
  double bytes{};
};

/// enqueue: launches behind one another, one wait at the end. round_trip: a wait after each. graph_node: kernels in a
/// chain inside a replayed graph.
enum class LaunchKind { enqueue, round_trip, graph_node };

enum class Direction { to_device, to_host, both };
struct LinkSpec {
  Direction direction{};
  bool pinned{true};
  double bytes{};  ///< each way
};

/// The vendor's C = A B, n x n, of a storage and an accumulate type.
struct GemmSpec {
  DType storage{}, accumulate{};
  std::int64_t n{};
};

/// The prepared benchmark, or why the library has no such product.
struct LibraryGemm {
  std::unique_ptr<GpuBenchmark> benchmark;  ///< an iteration is one product
  std::string algorithm;                    ///< what the library chose
  std::string reason;
};

/// What can be measured on the opened device. Ceilings are planned against this interface, which each vendor
/// implements; tests use a fake.
class Measurements {
 public:
  virtual ~Measurements() = default;
  /// Makes an idle device work for a moment: they lower their clock, and batches sized at that clock are too short.
  virtual void wake_up() = 0;
  /// The kernels of this build, and what it has none for.
  virtual std::vector<ComputeKernel> kernels() = 0;
  virtual std::unique_ptr<GpuBenchmark> compute(const ComputeKernel& kernel) = 0;
  /// The vendor's library for a type as rows name it.
  virtual std::string library_name(DType storage) = 0;
  virtual LibraryGemm library_gemm(const GemmSpec& spec) = 0;
  virtual std::unique_ptr<GpuBenchmark> stream(const StreamSpec& spec) = 0;
  /// Every multiprocessor reads its own 16-byte words from its L1, or from its shared memory without bank conflicts.
  virtual std::unique_ptr<GpuBenchmark> l1_read() = 0;
  virtual std::unique_ptr<GpuBenchmark> shared_read() = 0;
  /// The runtime's own copy within the device; counts what is read and what is written.
  virtual std::unique_ptr<GpuBenchmark> runtime_copy(double bytes) = 0;
  virtual std::unique_ptr<GpuBenchmark> chase(const ChaseSpec& spec) = 0;
  virtual std::unique_ptr<GpuBenchmark> launches(LaunchKind kind) = 0;
  virtual std::unique_ptr<GpuBenchmark> link(const LinkSpec& spec) = 0;
  /// Other devices of this process, and copies from the opened device to one of them. direct: not through the host.
  struct Peer {
    int index{};
    bool direct{};
  };
  virtual std::vector<Peer> peers() = 0;
  virtual std::unique_ptr<GpuBenchmark> peer_copy(int to, double bytes) = 0;
};

}  // namespace gable::gpu
