#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/estimate.hpp"
#include "core/model/measured_judgement.hpp"
#include "core/model/point.hpp"
#include "core/model/roofline.hpp"

namespace gable {

/// How fast the main memory of a device was in which rounds of a run, by its streams of ordinary stores. On a shared
/// machine that changes within seconds by as much as a factor of two. A point that was measured while memory was slow
/// is then far below the roof of the fast moments, and one that was measured while it was fast above that of the slow
/// ones, whatever it does with memory. Such a point is compared with the streams of its own moments, round by round.
class MemorySpeed {
 public:
  /// Of rows of this scope, of each mix of reads and writes the fastest stream, one that is ok before one that is
  /// suspect for its wide interval (result::is_too_wide()). Its rounds tell how fast memory was, and those of the same
  /// stream among the operators (implementation, operating point and threads alike), without blocks that were disturbed
  /// and without rounds of fewer than two others. A round that is faster than the datasheet, or than the cache before
  /// it, found its data elsewhere and tells nothing.
  MemorySpeed(std::span<const Ceiling> rows, const DeviceInfo& device, Scope scope);

  /// Whether memory changed its speed: the medians of a stream's rounds differ by 20 % or more, without a tenth of
  /// them, one at least, at each end.
  bool changed() const { return changed_; }

  /// A point's rounds, each under these roofs with those of main memory as they were in the nearest round of their
  /// stream, at most 5 s before or after. A round counts where the streams that have none so near would not change its
  /// bound by more than 5 %, were they half or twice as fast as their rows say. Nothing where memory kept its speed or
  /// limits the point in no round, where fewer than three rounds count, where their interval is no narrower than those
  /// of time and limit together, where even its lower end is above 1.01 (they were compared with the wrong moments, or
  /// the time is wrong), and where it is not known when rounds were: those of other runs are not near.
  std::optional<ByRounds> judge(const Point& point, const Roofline& roofline) const;

 private:
  struct Moment {
    double at_s{};  ///< s since 1970
    double figure{};
  };
  struct Stream {
    BandwidthRoof roof;
    std::vector<Moment> rates;  ///< byte/s
  };
  struct JudgedRound {
    double share{};
    MeasuredJudgement judged;
  };
  static std::vector<Moment> moments_of(const Estimate& estimate);
  std::optional<JudgedRound> judge(const Point& point, const Moment& round, const Roofline& roofline) const;

  std::string level_;
  std::map<Access, Stream> streams_;
  bool changed_{};
};

}  // namespace gable
