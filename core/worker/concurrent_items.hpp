#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/backend.hpp"

/// Which rows devices measure at the same time, to see what they take from each other.
namespace gable::worker {

/// Whether it was measured while other devices measured theirs: its variant begins with "with_". Such a row is no roof.
bool is_together(const Ceiling& row);

/// The resource that a row uses and several devices contend for: "main memory read", "vector fp64", "host_to_device".
/// It is main memory's read and triad (ordinary stores), what the vector unit sustains in fp64 and fp32, what the
/// matrix unit sustains (with the same instructions), and copies between the host's pinned memory and a GPU; nothing of
/// other rows. A row and its copy that is_together() have the same.
std::optional<std::string> resource_of(const Ceiling& row, const DeviceInfo& device);

/// Of the ceilings those that have a resource, the first of each, and behind each a copy that is measured together with
/// all `devices`: of the variant "with_" and kind_of_devices(). Where GPUs are among these, a CPU reads main memory
/// also while these copy, as "with_host_to_device" and "with_device_to_host". `conditions` is called before each, so
/// that a power that is the mean since the last call is that of the row alone; it may be empty.
std::vector<Item> concurrent_items(const std::vector<Item>& ceilings, const DeviceInfo& device,
                                   std::span<const std::string> devices, const std::function<Conditions()>& conditions);

}  // namespace gable::worker
