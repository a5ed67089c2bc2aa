#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/estimate.hpp"
#include "core/model/roofline.hpp"

namespace gable {

/// How fast the main memory of a device was in which rounds of a run, by its streams of ordinary stores. On a shared
/// machine that changes within seconds by as much as a factor of two. A point that was measured while memory was slow
/// is then far below the roof of the fast moments, and one that was measured while it was fast above that of the slow
/// ones, whatever it does with memory. Such a point is compared with the streams of its own moments, round by round.
class MemorySpeed {
 public:
  /// Of rows of this scope, of each mix of reads and writes the fastest stream that is ok. A row that is suspect for
  /// its wide interval tells of its rounds too, if it is not above the interval of one that is ok or above the
  /// datasheet.
  MemorySpeed(std::span<const Ceiling> rows, const DeviceInfo& device, Scope scope);

  /// These roofs, with the rate of main memory by its streams in the rounds of this time of a point. Nothing where
  /// memory kept its speed, where fewer than three of the time's rounds have one of a stream near, and where it is not
  /// known when rounds were: those of other runs are not near.
  ///
  /// Of each mix of reads and writes whose rounds' medians differ by 20 % or more the rate is the median over the
  /// time's rounds r of B_r t_r / t: B_r of the stream's round that is nearest in time, at most 5 s away, t_r of the
  /// time's round itself, t the time. So bound / t is the median of what bound / time was in single rounds. Disturbed
  /// blocks have no part in it, nor rounds with fewer than two others.
  std::optional<Roofline> beside(const Estimate& time, const Roofline& roofline) const;

 private:
  struct Moment {
    double at_s{};  ///< s since 1970
    double figure{};
  };
  struct Stream {
    BandwidthRoof roof;
    std::vector<Moment> rates;  ///< byte/s
  };
  static std::vector<Moment> moments_of(const Estimate& estimate);

  std::map<Access, Stream> streams_;  ///< those that changed their speed
};

}  // namespace gable
