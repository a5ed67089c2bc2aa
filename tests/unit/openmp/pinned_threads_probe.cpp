// Without an argument: pins two threads on the first two cores and says what came of it: "ok 2 <cpu> <cpu>"
// or the error's line. "wait": the same, but says "looked" when it has looked at the machine, and goes on at the next
// line of its input. "probe": what probing says of the environment. "topology": a line "cpus" for each change of an
// affinity mask while the machine is looked at, then its innermost level of memory and its usable cores.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>

#include "backends/openmp/pinned_threads.hpp"
#include "backends/openmp/topology.hpp"
#include "core/error.hpp"

namespace {
bool log_masks = false;
}

// In place of the C library's, also for hwloc: a change of the mask lasts microseconds, too short to be seen from
// outside.
extern "C" int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* set) noexcept {
  if (log_masks) {
    std::printf("cpus");
    for (std::size_t cpu = 0; cpu < 8 * bytes; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set)) std::printf(" %zu", cpu);
    }
    std::printf("\n");
  }
  return static_cast<int>(syscall(SYS_sched_setaffinity, thread, bytes, set));
}

int main(int argc, char** argv) {
  const std::string argument = argc > 1 ? argv[1] : "";
  try {
    if (argument == "probe") {
      std::printf("%s\n", gable::openmp::probe().reason.c_str());
      return 0;
    }
    if (argument == "topology") {
      log_masks = true;
      const auto topology = gable::openmp::read_topology();
      std::printf("%s %.0f bytes, %zu cores\n", topology.memory.front().name.c_str(),
                  topology.memory.front().size_bytes, topology.cores.size());
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
