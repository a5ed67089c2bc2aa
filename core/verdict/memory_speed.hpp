#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/estimate.hpp"
#include "core/model/point.hpp"
#include "core/model/roofline.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable {

/// How fast the main memory of a device was in which rounds of a run, by its streams of ordinary stores. On a shared
/// machine that changes within seconds by as much as a factor of two. A point that was measured while memory was slow
/// is then far below the roof of the fast moments, and one that was measured while it was fast above that of the slow
/// ones, whatever it does with memory. Such a point is compared with the streams of its own moments, round by round.
class MemorySpeed {
 public:
  /// Of rows of this scope, of each mix of reads and writes the fastest stream, one that is ok before one that is
  /// suspect for its wide interval (verdict::is_too_wide()). Its rounds tell how fast memory was, and those of the same
  /// stream among the operators where files have these as a row of their own (implementation, operating point and
  /// threads alike), without blocks that were disturbed and without rounds of fewer than two others, or in which more
  /// blocks than not were disturbed: what disturbs most of a round slows the rest of it too. A round that is faster
  /// than the datasheet, or than the cache before it, found its data elsewhere and tells nothing.
  MemorySpeed(std::span<const Ceiling> rows, const DeviceInfo& device, Scope scope);

  /// How many times as fast memory was in its fastest round as in its slowest: the ratio of the medians of a stream's
  /// rounds, without a tenth of them, one at least, at each end, of the stream that changed most. Nothing where no
  /// stream has four rounds.
  std::optional<double> fastest_over_slowest() const { return fastest_over_slowest_; }
  /// Whether memory changed its speed: by exp(measure::least_gap), about 20 %, or more.
  bool changed() const;

  /// A point's rounds, each under these roofs with those of main memory as they were in the nearest round of their
  /// stream, at most 5 s before or after. A round counts where the streams that have none so near would not change its
  /// bound by more than 5 %, were they half or twice as fast as their rows say. Rounds beside the same round of a
  /// stream share its error: their median is one figure, and share and interval are of these. Nothing where memory kept
  /// its speed or limits the point in no round, where there are fewer than three such figures, where their interval is
  /// no narrower than those of time and limit together although the limit's row is of such moments (its interval
  /// allows, within 5 %, the bound that the point has in its own), where even its lower end is above 1.01 (they were
  /// compared with the wrong moments, or the time is wrong), and where it is not known when rounds were: those of other
  /// runs are not near.
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
    double at_s{};                       ///< when it ended
    std::map<Access, double> near_s{};   ///< when the rounds of the streams ended that it was judged by
    std::optional<Access> limited_by{};  ///< the stream of main memory that limits it; nothing where another roof does
    MeasuredJudgement judged;
    Roofline roofline;  ///< that it was judged by
  };
  static std::vector<Moment> moments_of(const Estimate& estimate);
  std::optional<JudgedRound> judge(const Point& point, const Moment& round, const Roofline& roofline) const;

  /// Numbers the rounds by the round of the stream beside which they were, equal where it is the same: of the streams
  /// that limit a round, or matter to the point's bound by the rows, the one with the fewest such rounds.
  std::vector<int> moments_of(std::span<const JudgedRound> rounds, const Point& point, const Roofline& roofline,
                              const MeasuredJudgement& by_rows) const;

  std::string level_;
  std::map<Access, Stream> streams_;
  std::optional<double> fastest_over_slowest_;
};

}  // namespace gable
