#include "backends/openmp/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "core/error.hpp"

namespace gable::openmp {
namespace {

/// Key of the domain of that scope that a core lies in.
int key_of(const Core& core, Scope scope) {
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

std::vector<Domain> domains(const Topology& topology, Scope scope) {
  std::vector<Domain> found;
  std::map<int, std::size_t> at;
  for (const auto& core : topology.cores) {
    const auto [place, added] = at.try_emplace(key_of(core, scope), found.size());
    if (added) found.push_back({scope, {}, {}});
    auto& domain = found[place->second];
    domain.cpus.push_back(core.cpus.front());
    domain.numa.insert(core.numa);
  }
  return found;
}

Domain select(const Topology& topology, Scope scope, int threads) {
  const auto all = domains(topology, scope);
  if (all.empty()) throw Error("the topology has no core");
  const auto& whole = all.front();
  const int cores = static_cast<int>(whole.cpus.size());
  if (threads < 0) throw Error(fmt::format("--threads {} is negative", threads));
  if (threads > cores) {
    throw Error(fmt::format("--threads {}: the scope {} has {} {} this process may use (one thread a core)", threads,
                            to_string(scope), cores, cores == 1 ? "core" : "cores"));
  }
  Domain chosen{scope, {}, {}};
  for (const auto& core : topology.cores) {
    const bool wanted = std::find(whole.cpus.begin(), whole.cpus.end(), core.cpus.front()) != whole.cpus.end();
    if (!wanted || (threads > 0 && static_cast<int>(chosen.cpus.size()) == threads)) continue;
    chosen.cpus.push_back(core.cpus.front());
    chosen.numa.insert(core.numa);
  }
  return chosen;
}

}  // namespace gable::openmp
