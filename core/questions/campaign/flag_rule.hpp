#pragma once
#include <cstddef>
#include <optional>
#include <span>

#include "core/enum_names.hpp"

/// Which nodes of a fleet are slow, out of nothing but one figure a node. Pure functions: docs/campaigns.md has what
/// they find and what they cannot.
namespace gable::campaign {

/// A node is slow if its loss is more than this many scales …
inline constexpr double flag_scales = 5;
/// … and more than this part of the fleet's median.
inline constexpr double flag_loss = 0.03;
/// The scale is not less than this: quantities that hardly spread would make faults of nothing.
inline constexpr double least_scale = 0.003;
/// From so many nodes on a slow one is flagged; from `least_to_retest` on it is measured again; below that only a
/// reference tells.
inline constexpr std::size_t least_to_flag = 32, least_to_retest = 8;

/// A figure of one node, with its 95 % interval where it has one.
struct FleetFigure {
  double value{};
  std::optional<double> low{}, high{};
};

enum class NodeVerdict {
  pass,
  unjudged,  ///< too few nodes, and no reference
  retest,    ///< as slow as what is flagged, but of 8 to 31 nodes
  flagged,
  failed,   ///< it lacks what most nodes have
  damaged,  ///< its summary cannot be used
  absent,   ///< expected, and there is none
};
constexpr auto names_of(NodeVerdict) {
  return names_up_to<NodeVerdict::absent>("pass", "not judged", "retest", "flagged", "failed", "damaged", "absent");
}

/// One quantity over all nodes that have it. Losses and spreads are parts of the median.
struct FleetSpread {
  std::size_t nodes{};
  double median{};
  double mad{};         ///< median absolute deviation from the median, as it is: not yet times 1.4826
  double half_width{};  ///< median half-width of the nodes' intervals; 0 where none has one
  double scale{};       ///< max(1.4826 mad, half_width, least_scale)
  double least{}, most{};
  std::size_t at_least{}, at_most{};  ///< which node
};

/// How much worse a figure is than another, as a part of that: of a rate (2 / 2.1) 0.048, of a time the other way
/// round. Below 0: better.
double loss_of(double value, double than, bool higher_is_better);

/// Throws Error if there are no figures.
FleetSpread spread_of(std::span<const FleetFigure> figures);

/// By the fleet alone: flagged if the loss d exceeds 5 scales and 3 %, and the median lies outside the node's interval;
/// "retest" of 8 to 31 nodes, "not judged" below 8. The scale as in FleetSpread; 1.4826 MAD is the standard deviation
/// of normal values (Rousseeuw & Croux, JASA 88, 1993).
NodeVerdict judge_by_fleet(const FleetFigure& figure, const FleetSpread& spread, bool higher_is_better);

/// By a reference: flagged if the whole interval is worse than it by more than `tolerance`, as `gable check` has it.
NodeVerdict judge_by_reference(const FleetFigure& figure, double reference, double tolerance, bool higher_is_better);

}  // namespace gable::campaign
