#include "core/device/device_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/error.hpp"

namespace gable {
namespace {

constexpr std::string_view other_cores = "other_cores";

/// A name behind the device's id, and the cpus of the part.
struct Share {
  std::string name;
  std::vector<int> cpus;
};

std::vector<Share> sockets_of(const DeviceInfo& cpu) {
  const auto count = static_cast<std::size_t>(std::max(1, cpu.sockets));
  const std::size_t each = cpu.cpus.size() / count;
  if (each * count != cpu.cpus.size())
    throw Error(fmt::format("--scope socket: {} has {} cores on {} sockets, which are not alike", cpu.id,
                            cpu.cpus.size(), count));
  std::vector<Share> shares;
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = cpu.cpus.begin() + static_cast<std::ptrdiff_t>(i * each);
    shares.push_back({fmt::format("socket{}", i), {first, first + static_cast<std::ptrdiff_t>(each)}});
  }
  return shares;
}

std::vector<Share> numa_nodes_of(const DeviceInfo& cpu) {
  std::vector<Share> shares;
  for (const NumaNode& node : cpu.numa) {
    Share share{fmt::format("numa{}", node.id), {}};
    std::ranges::copy_if(cpu.cpus, std::back_inserter(share.cpus),
                         [&](int one) { return std::ranges::count(node.cpus, one) > 0; });
    if (!share.cpus.empty()) shares.push_back(std::move(share));
  }
  return shares;
}

std::vector<Share> cores_of(const DeviceInfo& cpu, Mode mode) {
  const std::size_t most = mode == Mode::quick ? 8 : 16;
  const std::size_t all = cpu.cpus.size();
  const std::size_t single = all <= most ? all : most - 1;
  std::vector<Share> shares;
  Share others{std::string(other_cores), cpu.cpus};
  for (std::size_t i = 0; i < single; ++i) {
    const std::size_t core = i * all / single;
    shares.push_back({fmt::format("core{}", core), {cpu.cpus[core]}});
    std::erase(others.cpus, cpu.cpus[core]);
  }
  if (!others.cpus.empty()) shares.push_back(std::move(others));
  return shares;
}

DeviceInfo make_part(const DeviceInfo& cpu, const Share& share) {
  const int cores = static_cast<int>(share.cpus.size());
  DeviceInfo made = part_of(cpu, Scope::node, cores);
  made.id = fmt::format("{}:{}", cpu.id, share.name);
  made.sockets = 1;
  made.cpus = share.cpus;
  made.free_memory_bytes = cpu.free_memory_bytes * cores / std::max(1, cpu.cores);
  std::erase_if(made.numa, [&](const NumaNode& node) {
    return std::ranges::none_of(share.cpus, [&](int one) { return std::ranges::count(node.cpus, one) > 0; });
  });
  std::erase_if(made.peaks, [](const TheoreticalPeak& peak) { return !peak.dtype; });
  for (TheoreticalPeak& peak : made.peaks) peak.value = peak.value * cores / std::max(1, cpu.cores);
  made.facts.push_back({"part", fmt::format("of {}, cpus {}", cpu.id, fmt::join(share.cpus, " ")), "--concurrent"});
  return made;
}

/// "core" of "openmp:core12"; empty of a whole device.
std::string_view kind_of_part(std::string_view id) {
  const auto colon = id.find(':');
  if (colon == std::string_view::npos || id.substr(0, colon) != "openmp") return {};
  const std::string_view name = id.substr(colon + 1);
  if (name == other_cores) return "core";
  return name.substr(0, name.find_first_of("0123456789"));
}

}  // namespace

Scope largest_parts(const DeviceInfo& cpu) {
  if (cpu.sockets > 1) return Scope::socket;
  return numa_nodes_of(cpu).size() > 1 ? Scope::numa : Scope::core;
}

std::vector<DeviceInfo> parts_of(const DeviceInfo& cpu, Scope scope, Mode mode) {
  if (scope == Scope::node) return {cpu};
  std::vector<DeviceInfo> parts;
  const auto shares = scope == Scope::socket ? sockets_of(cpu)
                      : scope == Scope::numa ? numa_nodes_of(cpu)
                                             : cores_of(cpu, mode);
  for (const Share& share : shares) parts.push_back(make_part(cpu, share));
  return parts;
}

bool is_part(const DeviceInfo& device) { return is_cpu(device) && !kind_of_part(device.id).empty(); }

std::optional<DeviceInfo> find_device(std::span<const DeviceInfo> devices, std::string_view id, Scope scope,
                                      Mode mode) {
  const auto whole = std::ranges::find(devices, id, &DeviceInfo::id);
  if (whole != devices.end()) return *whole;
  for (const DeviceInfo& device : devices) {
    if (!is_cpu(device) || !id.starts_with(device.id + ':')) continue;
    const auto parts = parts_of(device, scope, mode);
    const auto found = std::ranges::find(parts, id, &DeviceInfo::id);
    if (found != parts.end()) return *found;
  }
  return {};
}

std::string kind_of_devices(std::span<const std::string> ids) {
  std::string kind;
  for (const std::string& id : ids) {
    const std::string_view part = kind_of_part(id);
    const std::string one = part == "core"     ? "cores"
                            : part == "socket" ? "sockets"
                            : !part.empty()    ? std::string(part)
                                               : id.substr(0, id.find(':'));
    if (!kind.empty() && kind != one) return "all";
    kind = one;
  }
  return kind;
}

}  // namespace gable
