#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/worker/protocol.hpp"

namespace gable::bench {

/// Names of the kernels in what `likwid-bench -a` prints ("name - description" lines).
std::set<std::string> parse_kernels(std::string_view listing);

/// What `likwid-bench -l <kernel>` says of a kernel.
struct KernelProperties {
  double flops_per_element{};
  double bytes_per_element{};  ///< of all streams together, as likwid counts its MByte/s: load 1, copy 2, stream 3
  int streams{};
};
/// Throws Error naming the line that is missing or not a number.
KernelProperties parse_properties(std::string_view listing);

/// What a run of likwid-bench measured.
struct LikwidRun {
  double time_s{};
  double flop_per_s{};  ///< 0 for kernels without arithmetic
  double byte_per_s{};
};
/// Reads the "Time:", "MFlops/s:" and "MByte/s:" lines (10^6 a second). Throws Error with likwid's own ERROR line, or
/// naming the line that is missing or not a positive number.
LikwidRun parse_run(std::string_view output);

/// What to run: all streams of all threads together hold `bytes`, spread evenly over the first `threads` cores of the
/// node, each thread touching its own part first.
struct LikwidJob {
  std::string kernel;
  double bytes{};
  int threads{};
  double rate_per_s{};  ///< expected flop/s or byte/s: sets the number of passes
  double duration_s{};  ///< wanted
  bool counts_flops{};  ///< rate_per_s is in flop/s
};

/// likwid-bench of this machine. Counts time by its own calibrated cycle counter; needs no access to performance
/// counters.
class Likwid {
 public:
  /// Throws Error if likwid-bench cannot be started or lists no kernel.
  Likwid();
  bool has(const std::string& kernel) const { return kernels_.count(kernel) != 0; }
  /// Throws Error if the kernel cannot run here (likwid says illegal instruction) or its output is not understood.
  LikwidRun run(const LikwidJob& job) const;

 private:
  std::set<std::string> kernels_;
};

/// One of our rows and the kernels of likwid-bench that measure the same quantity.
struct Planned {
  std::string id;        ///< of the item in the worker
  std::string quantity;  ///< for people
  std::string unit;      ///< flop/s or byte/s
  std::vector<std::string> kernels;
  double bytes{};       ///< likwid's streams together; 0: the working set of our row
  double duration_s{};  ///< of one run of likwid
};

/// The ceilings among these items that likwid-bench has kernels for: vector fp64 and fp32 of every instruction set at
/// both operating points; of every level load, copy and triad, in main memory with non-temporal stores too. `threads`:
/// those of the rows.
std::vector<Planned> plan(const std::vector<worker::ItemInfo>& items, int threads);

}  // namespace gable::bench
