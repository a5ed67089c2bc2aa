#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "backends/openmp/topology.hpp"
#include "core/error.hpp"
#include "core/sequence.hpp"

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
  return sum_over(topology.socket_memory, [&](const auto& socket) {
    return std::min(1.0, static_cast<double>(socket.used) / nodes_with_channels.value_or(socket.all));
  });
}

Domain select(const Topology& topology, Scope scope, int threads) {
  const auto first =
      std::ranges::find_if(topology.cores, [&](const Core& core) { return key_of(core, scope).has_value(); });
  if (first == topology.cores.end())
    throw Error(topology.cores.empty() ? "the topology has no core"
                                       : "--scope numa: no core this process may use has memory on its own NUMA node");
  auto whole = filtered(topology.cores, [&](const Core& core) { return key_of(core, scope) == key_of(*first, scope); });
  const int cores = static_cast<int>(whole.size());
  if (threads < 0) throw Error(fmt::format("--threads {} is negative", threads));
  if (threads > cores) {
    throw Error(fmt::format("--threads {}: the scope {} has {} {} this process may use (one thread a core)", threads,
                            to_string(scope), cores, cores == 1 ? "core" : "cores"));
  }
  Domain chosen{scope, {}, {}};
  for (const Core& core : whole) {
    const bool wanted = threads == 0 ? core.kind == first->kind : static_cast<int>(chosen.cpus.size()) < threads;
    if (!wanted) continue;
    chosen.cpus.push_back(core.cpus.front());
    if (core.numa) chosen.numa.insert(*core.numa);
  }
  return chosen;
}

}  // namespace gable::openmp
