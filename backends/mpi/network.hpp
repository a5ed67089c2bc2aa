#pragma once
#include <functional>
#include <string>

#include "backends/mpi/team.hpp"
#include "core/model/mode.hpp"
#include "core/result/result.hpp"

namespace gable::mpi {

/// Who is told how a measurement goes on.
struct Listener {
  std::function<void(const std::string&)> next;  ///< what is measured next, in a few words
  std::function<void()> kept;                    ///< the result holds something more
};

/// In whose memory messages begin and end.
struct Memories {
  bool host{true};
  bool device{};  ///< GPUs', by MPI and by NCCL or RCCL; where that cannot be, rows say why
};

/// "Open MPI v4.1.4", "MPICH 4.0.2": the first words of what the library says of itself.
std::string mpi_library();

/// Measures the network of the team into a result whose run has begun, on the leader: one device "mpi", for pairs of
/// ranks inside a node and between nodes latency and bandwidth by message size, in one direction, in two, and with all
/// pairs at once; messages for each wait; every pair of nodes (of ranks, on one node); collectives by size. A message
/// that arrives wrong makes its rows errors. Throws Stopped (team.hpp) when a rank was asked to stop; the result holds
/// what was measured until then.
void measure_network(Team& team, Mode mode, Memories memories, Result& result, const Listener& listener);

}  // namespace gable::mpi
