#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/worker/session.hpp"

namespace gable::worker {

/// One occasion (company_items.hpp) of a run: a row of each of several devices, alone and together.
struct Meeting {
  struct Member {
    std::size_t device{};  ///< its place among the devices
    ItemInfo alone, together;
  };
  std::string occasion;
  std::vector<Member> members;  ///< two or more, each of another device

  /// Of one round, s: each alone, then all together.
  double expected_s() const;
};

/// A device and what its worker plans.
struct DevicePlan {
  const DeviceInfo& device;
  std::span<const ItemInfo> items;
};
/// The occasions for which several devices have a row, in the order of the plans. Throws Error if there is none.
std::vector<Meeting> meetings_of(std::span<const DevicePlan> plans);

/// What became of one that measured together with others.
struct Outcome {
  bool met{};                      ///< all were at work from its first to its last block
  std::vector<Row> rows{};         ///< empty if the worker was lost
  std::optional<ItemInfo> lost{};  ///< the worker died or hung in it
  std::string failure{};           ///< why, and where the worker died behind it
};
/// One that takes part.
struct Attendant {
  Session* session{};
  ItemInfo item;
};
/// Measures all items at the same time, one thread of this process for each worker. Who is lost, or yields a row
/// without measuring, keeps nobody waiting; the others have not met then. Throws InterruptedError, and Error of a
/// worker's own, after all are done.
std::vector<Outcome> measure_together(std::span<const Attendant> attendants);

}  // namespace gable::worker
