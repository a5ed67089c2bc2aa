#pragma once
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "core/questions/campaign/flag_rule.hpp"
#include "core/questions/campaign/plan.hpp"
#include "core/questions/campaign/summary.hpp"

namespace gable::campaign {

/// A quantity in one slot of all nodes that have the same device there.
struct FleetMetric {
  std::string name;    ///< SummaryRow::name
  std::string slot;    ///< id of the device
  std::string device;  ///< its name
  std::string unit;
  FleetSpread spread{};                ///< of `nodes`
  std::vector<std::size_t> nodes{};    ///< that have a good figure; indices of Fleet::nodes
  std::vector<FleetFigure> figures{};  ///< theirs
  bool expected{};                     ///< most nodes that have this device have a good figure
  std::optional<double> reference{};
  std::optional<double> change{};  ///< median of figure / earlier figure - 1, where at least three nodes have both
  std::size_t flagged{}, to_retest{};
};

/// What a figure was found to be slow beside.
enum class FindingBasis {
  fleet,      ///< the median
  reference,  ///< FleetReference
  earlier,    ///< the node's own figure of an earlier campaign
};
constexpr auto names_of(FindingBasis) { return names_up_to<FindingBasis::earlier>("fleet", "reference", "earlier"); }

/// What is wrong with one quantity of one node.
struct Finding {
  std::size_t node{};
  std::size_t metric{};  ///< of Fleet::metrics
  NodeVerdict verdict{};
  std::optional<double> value{};
  std::optional<double> against{};  ///< what it is worse than; of `earlier` as the fleet's median has changed since
  std::optional<double> loss{};     ///< as a part of that
  std::optional<double> scale{};    ///< of the rule of flag_rule.hpp that found it; nothing: the tolerance did
  FindingBasis basis{FindingBasis::fleet};
  std::string cause{};  ///< what clock, power, temperature and throttling say, or why there is no figure
};

/// One node of the plan, or one that has a file.
struct FleetNode {
  std::string name;
  NodeVerdict verdict{NodeVerdict::pass};  ///< the worst of its findings
  std::string reason{};                    ///< of what does not pass
  std::string measured_at{};
  std::string host{};  ///< NodeSummary::host
  std::size_t judged{}, unjudged{}, flagged{}, to_retest{}, failed{};
  std::size_t lost{};            ///< of `unjudged`: without a good figure here
  std::size_t without_figure{};  ///< rows that most nodes have, and this one only as suspect, skipped or unsupported
  bool counts_lost{};            ///< without_figure is `lost`: it lacks_most(), and other nodes do, too
  double accepted_without_figure{};  ///< of such rows, beyond which the node is to be measured again
  std::size_t lacking_devices{};
  double worst_loss{};  ///< of its findings
  bool expected{true};

  /// Its own, without those that neither it nor most nodes have.
  std::size_t rows() const { return judged + unjudged + failed; }
  /// Other work had it, or it is ill: the few figures that it has do not tell which.
  bool lacks_most() const { return 2 * lost > rows(); }
  /// So many rows without a good figure are more than is accepted.
  bool are_too_many(std::size_t rows) const { return static_cast<double>(rows) > accepted_without_figure; }
  bool lacks_figures() const { return are_too_many(without_figure); }
  /// A later measurement may settle it.
  bool is_open() const { return verdict == NodeVerdict::unjudged || verdict == NodeVerdict::retest; }
};

/// A fact in which nodes differ: what most have, and who has something else.
struct Drift {
  std::string name, most, other;
  std::vector<std::size_t> nodes;  ///< that have `other`
  std::size_t suspicious{};        ///< of these: flagged, failed or to be measured again
};

struct Fleet {
  std::string plan{};
  double tolerance{};                                 ///< FleetOptions::tolerance
  std::map<std::string, std::string> fact_of_node{};  ///< FleetOptions::fact by the names of nodes
  std::vector<FleetNode> nodes{};                     ///< sorted by name
  std::vector<FleetMetric> metrics{};
  std::vector<Finding> findings{};  ///< the largest losses first
  std::vector<Drift> drifts{};
  std::vector<std::string> remarks{};  ///< what a reader should know first

  std::size_t count(NodeVerdict verdict) const;
  /// Names of the nodes of these verdicts.
  std::vector<std::string> names(std::initializer_list<NodeVerdict> verdicts) const;
  /// There are nodes, and all pass.
  bool passed() const { return !nodes.empty() && count(NodeVerdict::pass) == nodes.size(); }
  /// A node is flagged, failed, damaged or absent, or there is none.
  bool failed() const;
};

/// What nodes are judged by beside the fleet.
struct FleetOptions {
  std::optional<NodeSummary> reference{};  ///< of a result
  double tolerance{0.1};  ///< how much slower than it, or than the node's own earlier figure, is accepted
  std::string fact{};     ///< to be kept in Fleet::fact_of_node; empty: none
  std::map<std::string, NodeSummary> again{};  ///< by node: to be judged in place of its first summary
};

/// Reads the summaries of a campaign's folder, and of an earlier one where it is named. Throws Error where there is no
/// campaign, where both are the same one, and where no node tells FleetOptions::fact.
Fleet read_fleet(const std::filesystem::path& folder, const FleetOptions& options = {},
                 const std::optional<std::filesystem::path>& earlier = {});

/// Lines for an administrator who wants to take nodes that are flagged or failed out of service: "scontrol update
/// NodeName=… State=DRAIN Reason=…". Gable never runs them.
std::vector<std::string> suggested_drains(const Fleet& fleet);

}  // namespace gable::campaign
