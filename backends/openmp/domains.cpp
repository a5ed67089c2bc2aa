#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include "backends/openmp/topology.hpp"
#include "core/error.hpp"

namespace gable::openmp {
namespace {

/// Key of the domain of that scope that a core lies in; nothing of a NUMA node where it has none.
std::optional<int> key_of(const Core& core, Scope scope) {
  switch (scope) {
    case Scope::node:
      return 0;
    case Scope::socket:
      return core.socket;
    case Scope::numa:
      return core.numa;
    case Scope::core:
      return core.cpus.front();
  }
  return 0;
}

}  // namespace

double memory_sockets(const Topology& topology, std::optional<int> nodes_with_channels) {
  double sockets = 0;
  for (const auto& socket : topology.socket_memory)
    sockets += std::min(1.0, static_cast<double>(socket.used) / nodes_with_channels.value_or(socket.all));
  return sockets;
}

std::vector<Domain> domains(const Topology& topology, Scope scope) {
  std::vector<Domain> found;
  std::map<int, std::size_t> at;
  for (const auto& core : topology.cores) {
    const auto key = key_of(core, scope);
    if (!key) continue;
    const auto [place, added] = at.try_emplace(*key, found.size());
    if (added) found.push_back({scope, {}, {}});
    auto& domain = found[place->second];
    domain.cpus.push_back(core.cpus.front());
    if (core.numa) domain.numa.insert(*core.numa);
  }
  return found;
}

Domain select(const Topology& topology, Scope scope, int threads) {
  const auto all = domains(topology, scope);
  if (all.empty())
    throw Error(topology.cores.empty() ? "the topology has no core"
                                       : "--scope numa: no core this process may use has memory on its own NUMA node");
  const auto& whole = all.front();
  const int cores = static_cast<int>(whole.cpus.size());
  if (threads < 0) throw Error(fmt::format("--threads {} is negative", threads));
  if (threads > cores) {
    throw Error(fmt::format("--threads {}: the scope {} has {} {} this process may use (one thread a core)", threads,
                            to_string(scope), cores, cores == 1 ? "core" : "cores"));
  }
  Domain chosen{scope, {}, {}};
  std::optional<int> fastest;
  for (const auto& core : topology.cores) {
    if (std::ranges::count(whole.cpus, core.cpus.front()) == 0) continue;
    if (!fastest) fastest = core.kind;
    const bool wanted = threads == 0 ? core.kind == *fastest : static_cast<int>(chosen.cpus.size()) < threads;
    if (!wanted) continue;
    chosen.cpus.push_back(core.cpus.front());
    if (core.numa) chosen.numa.insert(*core.numa);
  }
  return chosen;
}

}  // namespace gable::openmp
