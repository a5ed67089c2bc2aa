#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/model/dtype.hpp"

namespace gable::bench {

/// One figure of one operator instance beside its goal.
struct Outcome {
  std::string op, implementation, params;
  Types types;
  std::string where;                 ///< level that serves most of the data
  std::vector<double> times_s;       ///< of ours, one a round
  std::string figure;                ///< "bound", "time of gemm m=…"
  std::vector<double> ratios;        ///< one a round
  std::string limit;                 ///< the roof that limits, by the medians; of figures by roofs
  std::string missing;               ///< roofs that are not known here; of figures by roofs
  std::vector<double> non_temporal;  ///< the same figure by the non-temporal streams, for information; may be empty
  std::optional<double> goal;
};

/// "met" or "missed", by the median; "no goal"; "no roof for …" where a roof is missing and what is known is not
/// reached.
std::string verdict(const Outcome& outcome);

/// A line an outcome: operator, type, sizes, level, time, figure, median (least .. greatest), the non-temporal figure,
/// limit, goal, verdict. The rounds without ratios are left out.
std::string table(const std::vector<Outcome>& outcomes);

nlohmann::json to_json(const std::vector<Outcome>& outcomes);

}  // namespace gable::bench
