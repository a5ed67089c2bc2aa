#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/campaign/fleet.hpp"

namespace gable::campaign {

/// The nodes of a retest: each that is flagged or to be measured again, and behind it a healthy one (a control), as
/// long as there are any; controls are spread evenly over the nodes that pass. Empty where nothing is to be measured.
std::vector<std::string> retest_nodes(const Fleet& fleet);

/// What the second measurement of a slow row says.
enum class Persistence {
  persistent,    ///< it is slow again
  intermittent,  ///< it is not: look at what ran then, at heat, at links that were trained anew
  unknown,       ///< there is no second figure
};
std::string_view to_string(Persistence persistence);

struct RetestRow {
  std::size_t finding{};  ///< of Fleet::findings
  Persistence persistence{Persistence::unknown};
  std::optional<double> value{};    ///< second figure
  std::optional<double> against{};  ///< median of the controls' second figures, or of the fleet's first ones
  std::optional<double> loss{};     ///< as a part of that
  std::size_t controls{};           ///< behind `against`; 0: the fleet
};

/// Judges every flagged row, and every one to be measured again, by the summaries of a retest, by node. What is slow
/// again by the rule of flag_rule.hpp, with the scale of the first measurement, is persistent. It is compared with the
/// controls of the retest, where at least three have the row, else with the first median.
std::vector<RetestRow> judge_retest(const Fleet& fleet, const std::map<std::string, NodeSummary>& summaries);

/// Nodes and rows with what became of them.
Answer answer_of(const std::vector<RetestRow>& rows, const Fleet& fleet);

}  // namespace gable::campaign
