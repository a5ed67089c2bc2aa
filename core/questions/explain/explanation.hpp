#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/answer.hpp"
#include "core/questions/explain/lever.hpp"
#include "core/verdict/measured_judgement.hpp"
#include "core/verdict/message_roofline.hpp"

namespace gable::questions {

/// The intensity of a point against the ridge of the outermost memory level that its data come from.
struct RidgeView {
  std::string level;
  double flop_per_byte{};        ///< work over the bytes that this level must give
  double ridge_flop_per_byte{};  ///< peak / bandwidth
  double flop_per_s{};           ///< the peak
  double byte_per_s{};           ///< the bandwidth for its mix of reads and writes
  std::string peak;              ///< label of the compute roof
  std::string operation;         ///< of that roof: "flop", "op" of integers
  bool decides{};                ///< whether that roof is the limit of the point
};

/// Why a point may be below every roof.
struct Cause {
  std::string text;
  bool seen{};  ///< the row itself speaks for it; else it is only usual
};

struct Explanation {
  Point point{};                        ///< with its verdict
  std::optional<double> limit_value{};  ///< of the limiting roof by its row, in limit_value_unit
  std::string limit_value_unit{};
  std::optional<RidgeView> ridge{};  ///< nothing where nothing is computed, no byte moves, or a roof is missing
  std::optional<DatasheetBound> datasheet{};
  bool invalid{};                                 ///< is_invalid(); no levers then
  bool disturbed{};                               ///< most of its blocks were
  std::optional<double> half_interval_percent{};  ///< of its time
  std::vector<Cause> causes{};                    ///< only of a point below every roof; those that were seen first
  std::vector<Lever> levers{};
};

/// Answer for one point of a judged result (set_verdicts()) on its own device and scope, also for one that is suspect
/// because it is above its roof. Throws Error for a point that is not ok otherwise, or has no verdict (naming the
/// missing roofs, or what the counters of an imported one do not tell).
Explanation explain(const FastestRuns& runs, const Point& point, Operators operators,
                    std::span<const MachineModel> other = {});

/// The best lever that gains, of those that are `wanted`; null without one.
template <class Wanted>
const Lever* best_lever(const Explanation& answer, Wanted&& wanted) {
  const auto best = std::ranges::find_if(
      answer.levers, [&](const Lever& one) { return one.factor.value_or(0) >= least_gain && wanted(one); });
  return best == answer.levers.end() ? nullptr : &*best;
}
inline const Lever* best_lever(const Explanation& answer) {
  return best_lever(answer, [](const Lever&) { return true; });
}

/// Seconds that all runs of a point take beyond its bound: (time - bound) x count, one run without a count. 0 where it
/// has no bound.
double lost_s(const Point& point);

/// A device and what its points lose, most first.
struct MachineExplained {
  std::string title{};            ///< "AMD EPYC (openmp), node"
  std::string catalogue_entry{};  ///< empty where no product is known
  std::string no_ceilings{};      ///< what to do where the files have none of it
  MachineModel machine{};
  std::vector<Explanation> points{};
  std::vector<std::string> without{};           ///< points without a verdict, and why
  std::vector<MessageRoofline> messages{};      ///< of a network
  std::vector<JudgedCollective> collectives{};  ///< of a network
};
/// Every point of a device of the result.
MachineExplained explain_device(const Result& result, const std::string& device, Operators operators,
                                std::span<const MachineModel> other);
/// The one that `id` names (find_point()).
MachineExplained explain_point(const Result& result, const std::string& device, const std::string& id,
                               Operators operators, std::span<const MachineModel> other);

// In plain words, each term explained where it first stands.
std::string limit_words(const Explanation& answer);
std::string distance_words(const Explanation& answer);
/// How sure its time is.
std::string trust_words(const Explanation& answer);

/// How `gable explain` tells people: in plain words or one line a fact, and with its formulas.
struct ExplanationStyle {
  bool terse{}, formulas{};
};

/// The device, its ridges, and what limits its points; of the one point alone that was asked for, if `one_point`.
Answer explanation_answer(const MachineExplained& summary, bool one_point, const ExplanationStyle& style);

}  // namespace gable::questions
