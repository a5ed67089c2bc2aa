#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/model/ceiling.hpp"
#include "core/model/roofline.hpp"
#include "core/result/result.hpp"
#include "core/verdict/memory_speed.hpp"

namespace gable {

/// Roofs of one device of a result at one scope. Throws Error for a device that is not in it.
Roofline roofline_of(const Result& result, const std::string& device, Scope scope);

/// What points are judged by, made once for each device and scope.
class PointRoofs {
 public:
  /// They outlive it. `curves`: those that say what of the caches was found are taken.
  PointRoofs(std::span<const DeviceInfo> devices, std::span<const Ceiling> ceilings, std::span<const Curve> curves);

  /// The roofs of its device and scope; null for a device that is not there.
  const Roofline* of(const Point& point);
  /// What its rounds say where main memory changed its speed (MemorySpeed::judge()).
  std::optional<ByRounds> by_rounds(const Point& point);

 private:
  struct Roofs {
    Roofline roofline;
    MemorySpeed memory;
  };
  const Roofs* find(const Point& point);

  std::span<const DeviceInfo> devices_;
  std::span<const Ceiling> ceilings_;
  std::span<const Curve> curves_;
  std::map<std::pair<std::string, Scope>, Roofs> made_;
};

/// The widest that a device was measured at; node without ceilings.
Scope widest_scope(const Result& result, const std::string& device);

/// Whether the result has a valid ceiling of the device at this scope.
bool has_ceilings(const Result& result, const std::string& device, Scope scope);

/// Gives every measured point its Verdict (gable::set_verdict()), from the ceilings of its own device and scope: the
/// result's, and `borrowed` ones of other results under the ids of this one's devices. Where there are none, a point
/// that was judged before, by ceilings of another file, stays as it is. `borrowed_curves`: those of the same
/// results. Where main memory changed its speed, points are compared with it round by round (MemorySpeed).
void set_verdicts(Result& result, std::span<const Ceiling> borrowed = {}, std::span<const Curve> borrowed_curves = {});

}  // namespace gable
