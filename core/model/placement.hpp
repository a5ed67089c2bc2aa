#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/point.hpp"
#include "core/model/roofline.hpp"
#include "core/model/slowest_rate.hpp"
#include "core/model/types.hpp"
#include "core/model/work.hpp"

namespace gable {

/// A missing roof that cannot be the one that decides.
struct HarmlessRoof {
  std::string name;
  SlowestRate slowest;  ///< at half of it, it still would not decide
};

/// What the roofs that are there say of work, and what those that lack could change.
struct RoofVerdict {
  std::optional<Bound> bound;           ///< by the roofs that are there; nothing where none applies
  std::vector<std::string> may_decide;  ///< missing roofs without which the bound is no verdict, only a least time
  std::vector<HarmlessRoof> harmless;
  bool stands() const { return bound && may_decide.empty(); }
};

/// A missing roof is harmless where, put in at half of its slowest plausible rate (slowest_rate.hpp), it leaves the
/// bound within 5 % and the limit the same. For devices that were measured; of a catalogue's nothing is known of the
/// roofs that vendors do not print, so what is said of those goes by Roofline::judge() alone.
RoofVerdict judge_measured(const Roofline& roofline, std::span<const Stage> stages, const Types& types,
                           bool cold = false);

/// "no roof for exp fp32, which may decide; at least 57.3 ms by the roofs measured"; empty where the verdict stands.
std::string why_no_verdict(const RoofVerdict& verdict);

/// Fills regime, limit, bound_s and fraction_of_limit of a point that is ok; clears them of others. Where a missing
/// roof may decide there is only bound_s, by the other roofs, and the reason says so; where one cannot, the reason
/// says why. A point above its roof (standing.hpp) becomes suspect, and is judged anew under other roofs.
void place(Point& point, const Roofline& roofline);

}  // namespace gable
