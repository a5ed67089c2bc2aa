#pragma once
#include <span>
#include <string>

#include "core/model/point.hpp"
#include "core/model/roofline.hpp"
#include "core/model/types.hpp"
#include "core/model/work.hpp"

namespace gable {

/// How a measured time stands to the least time of its roofs.
enum class Standing {
  under_roof,  ///< it takes as long or longer
  at_roof,     ///< it is shorter, as the intervals of time and roofs together allow: no more can be read out of it
  above_roof,  ///< it is shorter beyond both intervals: roof or time are wrong
};

/// The one rule for points above their roof. The slowest credible time (upper end of its interval) is compared with
/// the bound by the highest credible roofs (Roofline::at_highest()): above_roof where the bound is more than 1 %
/// longer.
Standing standing(double time_s, double slowest_s, std::span<const Stage> stages, const Types& types, bool cold,
                  const Roofline& roofline);
Standing standing(const Point& point, const Roofline& roofline);

/// Whether a point that has been placed is suspect because it is above its roof.
bool above_roof(const Point& point);

/// Whether the time of a point may be used: it is ok, or suspect only for how it stands to its roof.
bool has_time(const Point& point);

/// Why a point above its roof is suspect, naming both: it and the roof.
std::string above_roof_words(const Point& point, const std::string& roof);

/// A share of the bound as people read it: "84.1 %"; "100 % (at its roof)" for more than all of it; for a point above
/// its roof "suspect".
std::string share_of_bound(double fraction, Standing standing);
/// Of a point that has been placed; empty where it has no fraction.
std::string share_of_bound(const Point& point);

}  // namespace gable
