#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/ceiling.hpp"
#include "core/model/roofline.hpp"

namespace gable {

/// One of several caches, or parts of main memory, that are not alike.
struct LevelInstance {
  double size_bytes{};
  int cores{};  ///< that share it; of several kinds those of the fastest there

  bool operator==(const LevelInstance&) const = default;
};

/// One cache or memory level as the topology describes it. Innermost first in DeviceInfo::memory.
struct MemoryLevel {
  std::string name;     ///< L1, L2, L3, DRAM, HBM
  double size_bytes{};  ///< of one instance, the smallest where they differ
  int instances{1};     ///< on the device
  int shared_by{1};     ///< cores that share one instance, the most where they differ
  int line_bytes{};
  std::string source;  ///< where the figures come from, e.g. "hwloc", "CPUID leaf 4"
  /// Each instance, in the order of the device's cores, where they differ (caches of unequal chiplets, cores of several
  /// kinds); empty where all are alike.
  std::vector<LevelInstance> unequal{};
};

/// All instances together, byte.
double total_bytes(const MemoryLevel& level);

/// How sure a theoretical figure is.
enum class Confidence {
  confirmed,    ///< a copy of the vendor's document prints it
  derived,      ///< half of a sparse figure, or rate x units x clock
  secondary,    ///< from third parties only
  unconfirmed,  ///< no source was seen
  stated        ///< nothing is said of it
};
constexpr auto names_of(Confidence) {
  return names_up_to<Confidence::stated>("confirmed", "derived", "secondary", "unconfirmed", "stated");
}

/// One theoretical limit with its origin. rate is per core and cycle; peak = units x rate x clock.
struct TheoreticalPeak {
  std::string name;  ///< vector, matrix, scalar, or a memory level's name
  std::optional<DType> dtype;
  std::optional<DType> accumulate;
  double value{};  ///< flop/s, op/s or byte/s for the whole device
  std::string unit;
  std::optional<double> per_core_and_cycle;
  std::string source;  ///< catalogue entry, formula
  Confidence confidence{Confidence::stated};
  /// Of the catalogue only: "packed" where a peak needs other instructions than another one of the same unit and types.
  std::string instructions{};
};

struct NumaNode {
  int id{};
  double memory_bytes{};
  std::vector<int> cpus;
};

/// A named fact about the machine that a figure depends on (governor, turbo, SMT, huge pages, ECC, power cap, partition
/// mode, hypervisor …). value is "unknown" with a reason where it cannot be read.
struct Fact {
  std::string name;
  std::string value;
  std::string source;
};

/// Empty where no fact has the name.
std::string value_of_fact(std::span<const Fact> facts, std::string_view name);

/// Name of the fact of a processor that has cores of several kinds: how many of each, and their clocks.
inline constexpr std::string_view core_kinds_fact = "kinds of cores";

/// Name of the fact of a device that tells the limit of its power: "250 W", "package-0 200 W, package-1 200 W".
inline constexpr std::string_view power_cap_fact = "power cap";
/// That limit, W, all packages together. Nothing where no fact names one.
std::optional<double> power_cap_w(std::span<const Fact> facts);

struct DeviceInfo {
  std::string id;       ///< "openmp", "cuda:0", …: what --device takes
  std::string backend;  ///< openmp, cuda, hip
  std::string name;     ///< marketing name as the hardware gives it
  std::string vendor;
  std::string microarchitecture;  ///< empty if unknown
  /// What executes its kernels in place of such hardware. All that is measured there is suspect.
  std::optional<std::string> emulator;
  std::vector<std::string> isa;  ///< instruction sets or compute capability, as kernels need them
  int sockets{1};
  int cores{};            ///< physical cores this process may use
  int threads{};          ///< hardware threads this process may use
  std::vector<int> cpus;  ///< one hardware thread of each usable core, in topology order
  std::optional<double> base_clock_hz, max_clock_hz;
  std::string clock_source;
  std::vector<MemoryLevel> memory;  ///< innermost first, the last is the main memory
  std::vector<NumaNode> numa;
  double free_memory_bytes{};
  std::vector<TheoreticalPeak> peaks;
  std::vector<Fact> facts;
};

/// All caches together, byte.
double cache_bytes(const DeviceInfo& device);

/// Whether a device is a processor: what OpenMP runs on.
bool is_cpu(const DeviceInfo& device);
/// Whether it is a GPU: what CUDA or HIP runs on. It is measured whole, so its rows have no other scope than the
/// device.
bool is_gpu(const DeviceInfo& device);

/// "2 threads" of a processor, "132 multiprocessors" of a GPU: what a row's number of threads counts.
std::string threads_text(const DeviceInfo& device, int threads);

/// Whether a processor has cores of several kinds (core_kinds_fact). Its peaks are unknown then: rate and clock of one
/// kind are not those of all.
bool has_kinds_of_cores(const DeviceInfo& device);

/// The part of a device that `threads` cores (0: all) of one core/numa/socket/node see, placed compactly: cores,
/// threads and the instances of every cache; main memory and all else as they are. Throws Error for negative threads.
DeviceInfo part_of(const DeviceInfo& device, Scope scope, int threads);

/// Capacity of every level for a scope, innermost first: what `threads` cores (0: all) of one core/numa/socket/node,
/// placed compactly, hold together: private caches x cores used, shared ones x instances those cores reach. The last
/// level, main memory, is unbounded (0). Threads beyond the scope's cores share their caches. Throws Error for negative
/// threads.
std::vector<Level> levels_of(const DeviceInfo& device, Scope scope, int threads);

/// make_roofline() with the levels that the scope's rows worked with: those of their largest number of threads. Of the
/// curves, sweeps of that scope and so many threads say what of the caches was found (Roofline::set_sweeps()).
Roofline roofline_of(std::span<const Ceiling> ceilings, const DeviceInfo& device, Scope scope,
                     std::span<const Curve> curves = {});

/// Memory that a plan's sizes are shares of, byte: what was free when the device was probed, or, where that is unknown
/// (0), all of its main memory. The same for every worker of a run, so that items keep their ids.
double plannable_memory_bytes(const DeviceInfo& device);

/// What the arrays of one operator may take, byte: a quarter of that.
double run_memory_bytes(const DeviceInfo& device);

/// Arrays that main memory must serve, byte: five times all caches together, and at least 64 MiB, but no more than an
/// eighth of the memory that is plannable, unless that is less than four times the caches: below it the model grants
/// caches a share of the traffic, so that what does not fit is skipped instead of measured in a cache.
double main_memory_set_bytes(const DeviceInfo& device);

}  // namespace gable
