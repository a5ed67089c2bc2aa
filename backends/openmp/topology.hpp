#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/openmp/binding.hpp"
#include "core/backend.hpp"
#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"

namespace gable::openmp {

/// One physical core with the hardware threads of it that this process may use (operating-system numbers).
struct Core {
  int socket{};
  /// Operating-system number of its NUMA node, where memory goes that it touches first; nothing where its die or socket
  /// has no memory.
  std::optional<int> numa;
  int kind{};              ///< index into Topology::kinds
  std::vector<int> cpus;   ///< first hardware thread first
  int hardware_threads{};  ///< that are online, usable or not
};

/// Cores of one make: performance and efficiency cores are two.
struct CoreKind {
  std::string name;              ///< "IntelCore"; empty where the system does not tell
  std::optional<double> max_hz;  ///< highest clock of one of them
};

/// Memory nodes of a socket's cores.
struct SocketMemory {
  int used{};  ///< those of Topology::numa
  int all{};   ///< nodes with memory, and dies without any
};

/// What there is of a machine, usable or not.
struct WholeMachine {
  int cores{};
  int sockets{};
  int memory_nodes{};     ///< NUMA nodes with memory
  double memory_bytes{};  ///< of all of them
};

/// The usable part of the machine as hwloc sees it. Cores in topology order, of several kinds the fastest first:
/// neighbours share caches.
struct Topology {
  std::vector<Core> cores;
  /// Caches innermost first, main memory last. Sizes are those of whole caches, shared_by counts usable cores; the
  /// source says how many others share one.
  std::vector<MemoryLevel> memory;
  /// Nodes that these cores' memory comes from: their own, or all that may be used if memory is interleaved over them
  /// or none of the own may be. cpus: usable ones of cores whose own node it is.
  std::vector<NumaNode> numa;
  std::vector<CoreKind> kinds;  ///< of the usable cores, fastest first
  int sockets{1};               ///< with usable cores
  /// Where some core is near to several memory nodes (HBM beside DDR, say), the kinds of all nodes, in words; else
  /// empty.
  std::string memory_kinds;
  std::vector<SocketMemory> socket_memory;  ///< of sockets whose memory is used
  WholeMachine machine;
};

/// This machine, restricted to what this process may use, or to `binding` where one is given. Of a quota's cores the
/// first are taken, at least one. A machine that hwloc reads from elsewhere (HWLOC_XMLFILE, HWLOC_FSROOT,
/// HWLOC_SYNTHETIC) is not this one, and only a given binding restricts it. Throws Error if hwloc cannot read it or
/// none of the cpus is there.
Topology read_topology(const std::optional<Binding>& binding = {});
/// An hwloc synthetic description ("package:2 numa:2 core:4 pu:2"), restricted to the binding. Throws Error if the text
/// is no such description or no usable cpu is left.
Topology synthetic_topology(const std::string& description, const Binding& binding = {});

/// Memory channels of `numa` in sockets: 0.25 for one of the four nodes of a socket. `nodes_with_channels`: how many
/// dies of a socket have channels, where that is known not to be all of them.
double memory_sockets(const Topology& topology, std::optional<int> nodes_with_channels = {});

/// The CPU of this machine as one device, "openmp". The reason is empty: a program that runs has a CPU.
Probe probe();

/// The cpus a measurement runs on: one hardware thread of each core.
struct Domain {
  Scope scope{Scope::node};
  std::vector<int> cpus;
  std::set<int> numa;  ///< nodes these cores are near to
};

/// First `threads` cores (0: all) of the node, of socket 0, NUMA node 0 or core 0 (the first usable of each). Of cores
/// of several kinds the fastest there alone, unless more threads are asked for: equal shares of work on unequal cores
/// take the time of the slowest.
/// Throws Error if the scope has fewer cores than threads: a core is measured with one thread, hyperthreads are never
/// counted as cores.
Domain select(const Topology& topology, Scope scope, int threads);

}  // namespace gable::openmp
