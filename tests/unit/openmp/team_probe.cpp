// With an argument: what probing says of the environment. Without: starts a team of two threads on the first two cores
// and says what came of it: "ok 2 <cpu> <cpu>" or the error's line.
#include <sched.h>

#include <cstdio>

#include "backends/openmp/team.hpp"
#include "backends/openmp/topology.hpp"
#include "core/error.hpp"

int main(int argc, char**) {
  try {
    if (argc > 1) {
      std::printf("%s\n", gable::openmp::probe().reason.c_str());
      return 0;
    }
    gable::openmp::Team team(gable::openmp::select(gable::openmp::read_topology(), gable::Scope::node, 2).cpus);
    int cpu[2] = {-1, -1};
    team.timed([&](int rank) { cpu[rank] = sched_getcpu(); });
    std::printf("ok %d %d %d\n", team.size(), cpu[0], cpu[1]);
  } catch (const gable::Error& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
