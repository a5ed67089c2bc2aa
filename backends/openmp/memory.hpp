#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/openmp/pinned_threads.hpp"
#include "core/device/device_info.hpp"

namespace gable::openmp {

/// The part of an array that one thread works on.
struct Share {
  std::size_t begin{};
  std::size_t count{};
};

/// Contiguous parts in rank order, multiples of `grain` elements but for the last; together [0, count).
Share share_of(std::size_t count, int rank, int size, std::size_t grain = 64);

/// Random values in [0.5, 1.5).
void fill_random(double* first, std::size_t count, std::uint64_t seed);

/// What the system is asked for; it may have no huge ones.
enum class Pages { huge, small };

/// An array of doubles for streaming kernels: aligned to 2 MiB, huge pages asked for unless small ones are, each part
/// first touched by the pinned thread that works on it (share_of), filled by fill_random().
class Array {
 public:
  Array() = default;
  /// Throws Error naming the size if it exceeds memory_budget_bytes(), or if the system refuses the memory.
  Array(PinnedThreads& pinned, std::size_t count, std::uint64_t seed, Pages pages = Pages::huge);

  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  std::size_t size() const { return count_; }
  std::size_t size_bytes() const { return count_ * sizeof(double); }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(double* data) const;
  };
  std::unique_ptr<double[], Unmap> data_;
  std::size_t count_{};
};

/// Fraction of this process's anonymous memory that is in huge pages (smaps_rollup); nothing where the kernel does not
/// tell. `root` replaces "/" in tests.
std::optional<double> huge_page_fraction(const std::string& root = "/");
/// Memory this process can still get: MemAvailable, or what its cgroups leave if that is less; and where NUMA nodes are
/// given, no more than what is free or cached on them. byte. `root` replaces "/" in tests.
double available_memory_bytes(const std::vector<NumaNode>& nodes = {}, const std::string& root = "/");
/// Main memory of the system (MemTotal), byte.
double total_memory_bytes();
/// Whether the nodes together have clearly less memory than the system. So it is in a virtual machine that gets memory
/// on demand: its nodes count only what it has got so far.
bool nodes_lack_memory(const std::string& root = "/");
/// Keeps freed memory in the process for later arrays, because the kernel takes as long to hand out and clear the pages
/// of a large array as a round takes to measure it. Pages stay where they were first touched, so it is meant for
/// machines with one memory node; elsewhere, and without the GNU C library, memory goes back as usual.
void keep_freed_memory();
/// What one measurement may take of it: a quarter. byte.
double memory_budget_bytes(const std::vector<NumaNode>& nodes = {});

}  // namespace gable::openmp
