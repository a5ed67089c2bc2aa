#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "core/model/answer.hpp"
#include "core/questions/campaign/fleet.hpp"

namespace gable::campaign {

/// The nodes of a retest: each that is flagged or to be measured again, and behind it a healthy one (a control), as
/// long as there are any; controls are spread evenly over the nodes that pass. Empty where nothing is to be measured.
std::vector<std::string> retest_nodes(const Fleet& fleet);

/// The same nodes as a job measures them: the slow ones at once, then the controls, in the next round the controls
/// first (slow, control, control, slow). So what changes with time (heat, other jobs' traffic) meets both alike, and
/// each is measured as often as the others. Without controls the slow ones alone.
std::vector<BatchStep> retest_steps(const Fleet& fleet, int retest, int rounds);

/// What the later measurements of a slow row say.
enum class Persistence {
  persistent,    ///< it is slow in every round
  intermittent,  ///< it is not: look at what ran then, at heat, at links that were trained anew
  unknown,       ///< there is no second figure
};
constexpr auto names_of(Persistence) {
  return names_up_to<Persistence::unknown>("persistent", "intermittent", "not known");
}

struct RetestRow {
  std::size_t finding{};  ///< of Fleet::findings
  Persistence persistence{Persistence::unknown};
  std::size_t rounds{}, slow_rounds{};  ///< that have a figure, and in which it is slow
  // of the round with the largest loss
  std::optional<double> value{};
  /// Of a row that was slow beside the fleet: median of the controls' figures in that round, or of the fleet's first
  /// ones. Of others: the reference or the earlier figure.
  std::optional<double> against{};
  std::optional<double> loss{};           ///< as a part of that
  std::size_t controls{};                 ///< behind `against` or `controls_loss`; 0: none
  std::optional<double> controls_loss{};  ///< of the controls' median beside a reference or an earlier figure
};

/// A node that was to be measured again as too many of its rows were without a good figure.
struct RetestNode {
  std::size_t node{};                                ///< of Fleet::nodes
  Persistence persistence{Persistence::unknown};     ///< persistent: too many are in every round
  std::size_t rounds{}, lacking_rounds{};            ///< that have a summary, and in which too many are
  std::optional<std::size_t> most_without_figure{};  ///< such rows in the worst round
};

struct Retest {
  std::vector<RetestRow> rows{};
  std::vector<RetestNode> lacking{};

  /// Every row and node was well at least once.
  bool mended() const;
};

/// Summaries of one round of a retest, by node.
using RetestRound = std::map<std::string, NodeSummary>;

/// Judges every flagged row, and every one to be measured again, by the rounds of a retest. What is slow in each of
/// them by what found it is persistent. What was slow beside the fleet is judged by the rule of flag_rule.hpp, with the
/// scale of the first measurement, beside the controls of the same round, where at least three have the row, else
/// beside the first median. What was slow beside a reference or its own earlier figure is judged beside that again; the
/// controls' loss beside it is told only. A node without good figures is judged by how many rows, of those that most
/// nodes have, lack one in each round: as many are accepted as in the first measurement.
Retest judge_retest(const Fleet& fleet, const std::vector<RetestRound>& rounds);

/// Nodes and rows with what became of them.
Answer answer_of(const Retest& retest, const Fleet& fleet);

}  // namespace gable::campaign
