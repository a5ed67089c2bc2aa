#pragma once
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/questions/campaign/fleet.hpp"

/// How a fleet is judged: fleet.cpp judges nodes, fleet_metric.cpp one quantity of all nodes.
namespace gable::campaign {

/// What a device said of itself while a quantity was measured.
struct Sensors {
  std::optional<double> clock_hz{}, power_w{}, temperature_c{};
  std::string clock_limits{};  ///< what held the clock back; empty where nothing is told
};

/// Why a node is slower than the fleet by `loss` (a part of the median), as far as clock, power, temperature and
/// throttling tell, each beside its median over the fleet. A clock that is lower explains as much of a loss as it is
/// lower, not more; a temperature is told from 5 degrees above the fleet's on, power from 5 % beside it on.
std::string cause_of(const Sensors& node, const Sensors& fleet, double loss);

/// Which figures are compared: one quantity, in one slot, of one kind of device.
struct FleetKey {
  std::string name, slot, device;
  auto operator<=>(const FleetKey&) const = default;
};

/// What a node read beside a figure. Texts of limits are kept once.
struct FleetRead {
  static constexpr float absent = std::numeric_limits<float>::quiet_NaN();
  float clock_hz{absent}, power_w{absent}, temperature_c{absent};
  std::size_t limits{};  ///< 0: none
};

/// A row without a good figure.
struct LostFigure {
  std::size_t node{};
  Status status{};
  std::string reason;
};

/// A quantity of all nodes, and what its judgement needs beside the metric.
struct FleetRow {
  FleetMetric metric;
  std::unordered_map<std::size_t, FleetFigure> earlier{};  ///< of its nodes
  std::vector<FleetRead> read{};                           ///< beside FleetMetric::figures
  std::vector<LostFigure> lost{};
};

/// More than half of them.
inline bool is_most(std::size_t part, std::size_t all) { return 2 * part > all; }

inline void raise(NodeVerdict& verdict, NodeVerdict to) {
  if (to > verdict) verdict = to;
}

/// Judges nodes as they come, so that not all summaries are in memory at once.
class FleetBuilder {
 public:
  explicit FleetBuilder(const Plan& plan, FleetOptions options = {});
  /// Adds a node by the name of its file. A summary of another plan or node makes it a damaged one.
  void add(const std::string& node, NodeSummary summary);
  /// What a node measured in an earlier campaign. With at least 8 nodes that have a figure of both, figure / earlier
  /// figure is judged among nodes as figures are (flag_rule.hpp), so that what is usual for a node, and what changed on
  /// all of them, is no loss; and each is judged beside its own earlier figure by the tolerance.
  void add_earlier(const std::string& node, const NodeSummary& summary);
  /// A node whose summary cannot be read.
  void add_damaged(const std::string& node, std::string reason);
  /// What is known of a node without a summary: "it began, …".
  void explain_absence(const std::string& node, std::string reason);
  /// Judges. To be called once, as the last.
  Fleet finish();

 private:
  /// Figures beside the nodes' own earlier ones, in the order of the metric's nodes: the ratio and its widest interval.
  struct Changes {
    std::vector<FleetFigure> ratios{};
    std::vector<std::optional<std::size_t>> at{};  ///< of a node among `ratios`
    FleetSpread spread{};
  };

  FleetNode& node_named(const std::string& name);
  std::size_t limit_named(const std::string& text);
  void add_row(std::size_t node, const SummaryRow& row, const SummaryDevice& device);
  Sensors sensors_of(const FleetRead& read) const;
  /// Medians, and what holds the clock of most nodes back.
  Sensors sensors_of(const FleetRow& group) const;
  std::optional<double> reference_of(const FleetMetric& metric) const;
  void find(const FleetRow& group, std::size_t i, const Sensors& sensors, Finding finding);
  static Changes changes_of(const FleetRow& group);
  /// A judgement replaces one that is milder.
  static void judge_more(Finding& finding, FindingBasis basis, NodeVerdict verdict, double against,
                         std::optional<double> scale = {});
  void judge_beside_earlier(const FleetRow& group, std::size_t i, const Changes& changes, Finding& finding) const;
  void judge(std::size_t index_of_metric, FleetRow& group);
  /// Nodes that lack what most nodes with this device have. A figure that is only not to be trusted is not judged here:
  /// judge_missing_figures() counts them.
  void find_lost(std::size_t index_of_metric, FleetRow& group);
  /// A node whose figures cannot be trusted where most nodes' can is not well: it is to be measured again where more of
  /// its rows than a tenth, and than one, are so beyond what is usual in the fleet.
  void judge_missing_figures();
  /// A node that lacks a device fails.
  void find_lost_slots();
  void find_drifts();
  /// Nodes in the order of their names, as lists of nodes are.
  void sort_nodes();
  void explain_verdicts();
  void remark();

  Fleet fleet_;
  FleetOptions options_;
  std::map<std::string, std::size_t> index_;  ///< of Fleet::nodes, by name
  std::map<FleetKey, std::size_t> keys_;      ///< of groups
  std::vector<FleetRow> groups_;
  std::vector<std::string> limits_{""};
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> kinds_;  ///< slot and device: nodes
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> facts_;   ///< name: value: nodes
  std::set<Mode> modes_;
  std::size_t measured_{};
  std::optional<std::set<std::size_t>> with_earlier_{};  ///< nodes; nothing where no earlier campaign was named
  std::map<std::size_t, int> left_out_;                  ///< nodes whose rows did not all fit into their summary
  std::map<std::size_t, std::map<std::string, std::size_t>> why_lost_;  ///< node: reason: rows
};

}  // namespace gable::campaign
