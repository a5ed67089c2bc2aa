#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/worker/session.hpp"

namespace gable::worker {

/// The rows of several devices that use one resource (resource_of()), each measured alone and all at the same time.
struct ConcurrentGroup {
  struct Member {
    std::size_t device{};  ///< its place among the devices
    ItemInfo alone, together;
  };
  std::string resource;
  std::vector<Member> members;  ///< two or more, each of another device

  /// Of one round, s: each alone, then all together.
  double expected_s() const;
};

/// A device and what its worker plans.
struct DevicePlan {
  const DeviceInfo& device;
  std::span<const ItemInfo> items;
};
/// A group for each resource that rows of several devices use, in the order of the plans. Throws Error if there is
/// none.
std::vector<ConcurrentGroup> concurrent_groups(std::span<const DevicePlan> plans);

/// What became of a participant.
struct Outcome {
  bool simultaneous{};             ///< all were at work from its first to its last block
  std::vector<Row> rows{};         ///< empty if the worker was lost
  std::optional<ItemInfo> lost{};  ///< the worker died or hung in it
  std::string failure{};           ///< why, and where the worker died behind it
};
/// A worker and what it measures.
struct Participant {
  Session* session{};
  ItemInfo item;
};
/// Measures all items at the same time, one thread of this process for each worker. A worker that dies, or yields a row
/// without measuring, does not block the others, but no outcome is `simultaneous` then. Throws InterruptedError, and
/// Error of a worker's own, after all are done.
std::vector<Outcome> measure_together(std::span<const Participant> participants);

}  // namespace gable::worker
