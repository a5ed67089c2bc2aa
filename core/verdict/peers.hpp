#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/capacity.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/point.hpp"

/// Ceilings beside others of their device and kind.
namespace gable::verdict {

/// A ceiling that was measured here and is ok.
struct Peer {
  Ceiling* row;
  std::size_t depth;    ///< of its level in DeviceInfo::memory, from the core outwards; beyond that list: not there
  std::string doubt{};  ///< why it cannot be true, by the rule that is being applied
  std::optional<CacheStep> step{};  ///< of a latency: what the run's own chase over working sets shows of its level
};

/// Those of a device and kind, from the core outwards.
std::vector<Peer> peers_of(std::span<Ceiling> ceilings, const DeviceInfo& device, CeilingKind kind);

// Each says why a row is suspect, by its peers, of which those before it have been judged; empty if it is not, or is of
// another kind. What is compared is the lower end of one interval with the upper end of the other. The rules themselves
// stand in the table of soundness.cpp.

std::string above_datasheet(const Peer& row, std::span<const Peer> peers, const DeviceInfo& device);
std::string above_inner_level(const Peer& row, std::span<const Peer> peers, const DeviceInfo& device);
std::string slower_than_outer_level(const Peer& row, std::span<const Peer> peers, const DeviceInfo& device);
/// Of a CPU: a chase that takes more than 5/8 of the time of the next level out found most of its data there, unless
/// the run's own chase over working sets shows the level, and at the row's working set about the row's time.
std::string like_the_next_level(const Peer& row, std::span<const Peer> peers, const DeviceInfo& device);
std::string below_library(const Peer& row, std::span<const Peer> peers, const DeviceInfo& device);
std::string below_sustained(const Peer& row, std::span<const Peer> peers, const DeviceInfo& device);
std::string below_other_type(const Peer& row, std::span<const Peer> peers, const DeviceInfo& device);

/// Why what a library reached is suspect, by the products that it did as operators: its fastest is a lower end.
std::string below_own_operator(const Ceiling& row, std::span<const Point> points);

}  // namespace gable::verdict
