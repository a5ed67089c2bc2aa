#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/worker/session.hpp"

namespace gable::worker {

/// What a run measures, or leaves out, as a whole: an item of one device, or the rows of several devices that use one
/// resource (resource_of()), each alone and all at the same time.
struct Step {
  struct Part {
    std::size_t device{};  ///< its place among the devices
    ItemInfo item;
    bool together{};  ///< at the same time as the other parts of which this is true, after all of which it is not
  };
  std::string resource;     ///< empty of an item by itself
  std::vector<Part> parts;  ///< one; or of two devices or more, of each both

  /// Of one round, s.
  double expected_s() const;
};
/// The steps of a run in the order of the plan. Each has parts either alone, all of one device, or together as well.
using Schedule = std::vector<Step>;

/// A device and what its worker plans.
struct DevicePlan {
  const DeviceInfo& device;
  std::span<const ItemInfo> items;
};
/// A schedule for each device, of its items by themselves.
std::vector<Schedule> separate_schedules(std::span<const DevicePlan> plans);
/// A step for each resource that rows of several devices use, in the order of the plans. Throws Error if there is none.
Schedule concurrent_schedule(std::span<const DevicePlan> plans);

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
