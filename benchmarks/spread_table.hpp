#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "core/result/result.hpp"

namespace gable::bench {

/// One row in one run.
struct Sighting {
  double figure{};  ///< the row's value / its observed clock, unit / Hz
  double clock_hz{};
  bool says_so{};  ///< the run called itself disturbed: an estimator other than the median, disturbed blocks, suspect
};

/// One row over all runs.
struct Spread {
  std::string id;
  std::vector<Sighting> sightings;
  int skipped{};       ///< runs that gave no figure and said why (too few blocks fitted …)
  std::string reason;  ///< why there is nothing to compare
};

/// Compute rows at burst and sustained, and the rows of L1, of results of the same device: per observed clock. A row
/// that a run lacks, could not measure or took no clock for is listed with that reason; runs that skipped it are left
/// out while two others remain.
std::vector<Spread> spreads(const std::vector<Result>& runs);

/// (greatest - least) / median of the figures. Throws Error if there are none.
double relative_spread(const std::vector<Sighting>& sightings);

enum class Steadiness {
  met,      ///< the spread is within the limit
  said_so,  ///< it is not, but is among the runs that did not call themselves disturbed (or no two are left)
  missed,   ///< runs that called themselves undisturbed differ by more
};
constexpr auto names_of(Steadiness) {
  return names_up_to<Steadiness::missed>("met", "disturbed, and said so", "missed");
}
Steadiness steadiness_of(const std::vector<Sighting>& sightings, double limit);

/// A line per row: spread, spread over undisturbed runs, how many said so, verdict.
std::string table(const std::vector<Spread>& spreads, double limit);
nlohmann::json to_json(const std::vector<Spread>& spreads, double limit);

}  // namespace gable::bench
