#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/dtype.hpp"
#include "core/model/work.hpp"
#include "core/result/result.hpp"

namespace gable::bench {

/// Rows, not measured yet, of all roofs that may bound these stages on a CPU with these levels: of every unit with work
/// the compute kernels of the types; of every level that serves data the streams of ordinary stores whose mixes of
/// reads and writes enclose the stage's; of the outermost level also the non-temporal ones beside them, which bound
/// nothing; the launch. Each once, with its id.
std::vector<Ceiling> needed_roofs(std::span<const Stage> stages, const Types& types, const DeviceInfo& device,
                                  int threads);

/// What a quick run must have whatever else the machine does, and the row of a result that is it.
struct Needed {
  std::string name;  ///< "DRAM read"
  std::string id;
};
/// Bandwidth of main memory for read, copy and triad (ordinary stores), L1 read, launch overhead, fp64 and fp32 of the
/// vector unit at burst, as far as the result has such rows, whatever became of them.
std::vector<Needed> needed_rows(const Result& result);

/// Median over the blocks of these runs that nothing disturbed, of every ceiling and point by id: what the machine does
/// when it is left alone.
std::map<std::string, double> undisturbed_levels(const std::vector<Result>& runs);

/// How one run stood up to the disturber.
struct RunVerdict {
  double wall_s{}, steal_percent{};
  std::vector<std::string> missing;  ///< needed rows without a figure
  int unjudged{};                    ///< points without a figure or a regime
  double highest_percent{};          ///< of the points, of their bound
  int findings{};                    ///< of validate
  int off{};                 ///< figures further than 5 % from their undisturbed level whose interval does not hold it
  int slower{};              ///< of these, slower than it; the others are faster: the level was taken in worse moments
  int off_of_main_memory{};  ///< of these, rows of main memory and points that it bounds: the host changes its speed
  int figures{};             ///< that have such a level
  /// How many times as fast the main memory of a device was in its fastest round as in its slowest, by blocks that the
  /// run itself calls undisturbed (MemorySpeed): what the host did beside the disturber, and what of the disturber
  /// nothing felt. The greatest of all devices; nothing where the rounds do not tell.
  std::optional<double> memory_ratio;
  bool memory_kept_its_speed{};  ///< by as much as MemorySpeed::changed() calls a change; false where it is not known
  /// All needed rows, a verdict on every point, none above 110 %, valid.
  bool good() const { return missing.empty() && unjudged == 0 && highest_percent <= 110 && findings == 0; }
};

/// wall_s, steal_percent and findings are the caller's.
RunVerdict verdict_of(const Result& run, const std::vector<Needed>& needed,
                      const std::map<std::string, double>& levels);

/// A line of the table of runs, and the heading above it.
std::string heading();
std::string line(int number, const RunVerdict& verdict);

}  // namespace gable::bench
