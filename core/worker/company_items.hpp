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

/// The occasion on which rows of several devices are measured at the same time: "main memory read", "vector fp64",
/// "host_to_device". Nothing of a row that meets no other. Main memory's read and triad meet (ordinary stores), what
/// the vector unit sustains in fp64 and fp32, what the matrix unit sustains (with the same instructions), and copies
/// between the host's pinned memory and a GPU. A row and its copy that is_together() have the same.
std::optional<std::string> occasion_of(const Ceiling& row, const DeviceInfo& device);

/// Of the ceilings those that have an occasion, the first of each, and behind each a copy that is measured together
/// with the company: of the variant "with_" and kind_of_company(). Where the company has GPUs, a CPU reads main memory
/// also while these copy, as "with_host_to_device" and "with_device_to_host". `conditions` is called before each, so
/// that a power that is the mean since the last call is that of the row alone; it may be empty.
std::vector<Item> company_items(const std::vector<Item>& ceilings, const DeviceInfo& device,
                                std::span<const std::string> company, const std::function<Conditions()>& conditions);

}  // namespace gable::worker
