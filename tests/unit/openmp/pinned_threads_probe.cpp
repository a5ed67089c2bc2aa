// Without an argument: pins two threads on the first two cores and says what came of it: "ok 2 <cpu> <cpu>"
// or the error's line. "wait": the same, but says "looked" when it has looked at the machine, and goes on at the next
// line of its input. "probe": what probing says of the environment.
#include <sched.h>

#include <cstdio>
#include <string>

#include "backends/openmp/pinned_threads.hpp"
#include "backends/openmp/topology.hpp"
#include "core/error.hpp"

int main(int argc, char** argv) {
  const std::string argument = argc > 1 ? argv[1] : "";
  try {
    if (argument == "probe") {
      std::printf("%s\n", gable::openmp::probe().reason.c_str());
      return 0;
    }
    const auto cpus = gable::openmp::select(gable::openmp::read_topology(), gable::Scope::node, 2).cpus;
    if (argument == "wait") {
      std::printf("looked\n");
      std::fflush(stdout);
      std::getchar();
    }
    gable::openmp::PinnedThreads pinned(cpus);
    int cpu[2] = {-1, -1};
    pinned.timed([&](int rank) { cpu[rank] = sched_getcpu(); });
    std::printf("ok %d %d %d\n", pinned.size(), cpu[0], cpu[1]);
  } catch (const gable::Error& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
