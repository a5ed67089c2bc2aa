#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/mode.hpp"

/// Parts of a processor that are measured as devices of their own: each alone, and all at the same time.
namespace gable {

/// Sockets where there are several, else NUMA nodes, else cores.
Scope largest_parts(const DeviceInfo& cpu);

/// The sockets, NUMA nodes or cores of a processor: "openmp:socket1", "openmp:numa0", "openmp:core3", counted from 0
/// in the order of its cpus. Each has the part's cores, cpus and caches, and its share of the peaks of compute and of
/// the free memory; none has a peak of memory, as nothing says which part may reach how much of it. Of more cores than
/// 8 (quick) or 16 (full) there is one part less than that with one core each, evenly chosen, and one last,
/// "openmp:other_cores", with all others. The processor itself where the scope is node. Throws Error where its sockets
/// have different numbers of cores.
std::vector<DeviceInfo> parts_of(const DeviceInfo& cpu, Scope scope, Mode mode);

/// Whether it is a part of a processor.
bool is_part(const DeviceInfo& device);

/// The device of that id, or the part of one; nothing if there is none. Throws as parts_of().
std::optional<DeviceInfo> find_device(std::span<const DeviceInfo> devices, std::string_view id, Scope scope, Mode mode);

/// What several devices are called together: "cores", "numa", "sockets" of parts of one processor, "cuda" and the like
/// of GPUs of one backend, else "all".
std::string kind_of_devices(std::span<const std::string> ids);

}  // namespace gable
