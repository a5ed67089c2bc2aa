#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/questions/campaign/fleet.hpp"

/// Groups of nodes (a rack, a firmware) and of slots: whether one is slow as a whole, which the rule for nodes cannot
/// tell, since it counts losses in the spread of single nodes.
namespace gable::campaign {

/// A group's loss is told from this part of the others' median on …
inline constexpr double group_loss = 0.01;
/// … and from so many standard errors of the difference of the two medians.
inline constexpr double group_scales = 5;
/// Fewer nodes are no group that could be slow as a whole, and fewer others tell nothing.
inline constexpr std::size_t least_in_group = 3, least_others = 8;

/// A quantity of a group beside that of all other nodes.
struct GroupMedian {
  std::size_t group{};   ///< of FleetGroups::groups
  std::size_t metric{};  ///< of Fleet::metrics; of slots the first of the quantity
  std::size_t nodes{};   ///< that have a figure
  double median{};
  std::optional<double> others{};  ///< median of the figures of all others; nothing without others
  std::optional<double> loss{};    ///< how much worse the group is, as a part of that
  bool slow{};
};

struct FleetGroup {
  std::string name;
  std::vector<std::size_t> nodes{};  ///< of Fleet::nodes; of slots none
  std::size_t not_passing{};         ///< of these: to be measured again, flagged, failed, damaged or absent
  std::size_t slow_rows{};
  double worst_loss{};  ///< of these
};

struct FleetGroups {
  std::string by;
  std::vector<FleetGroup> groups{};    ///< those that are slow first, then by name
  std::vector<GroupMedian> medians{};  ///< of the groups in their order
  std::size_t in_none{};               ///< nodes that no group has
  bool of_slots{};                     ///< group_slots() made them
};

/// Medians of groups of figures. `group_of` has the group of each figure, below `groups`. A group is slow if its loss
/// is at least group_loss and more than group_scales standard errors: sqrt(pi / 2) sigma / sqrt(n) is that of the
/// median of n normal values (asymptotically), sigma is 1.4826 times the median deviation of the figures from their own
/// group's median, as a part of it, and at least 0.1 %. One entry for each group with figures; `metric` is left 0.
std::vector<GroupMedian> judge_groups(std::span<const double> figures, std::span<const std::size_t> group_of,
                                      std::size_t groups, bool higher_is_better);

/// Nodes by a name each; those without one are in no group.
FleetGroups group_nodes(const Fleet& fleet, const std::string& by, const std::map<std::string, std::string>& group_of);

/// Slots of the same kind of device: each beside all others of all nodes.
FleetGroups group_slots(const Fleet& fleet);

}  // namespace gable::campaign
