#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backends/openmp/topology.hpp"
#include "tests/unit/openmp/scratch_root.hpp"

namespace gable::openmp {

using Cpus = std::vector<int>;
inline constexpr double gib = 0x1p30, mib = 0x1p20;

inline std::string mask(const Cpus& cpus) {
  unsigned bits = 0;
  for (const int cpu : cpus) bits |= 1U << cpu;
  char text[16];
  std::snprintf(text, sizeof text, "%x\n", bits);
  return text;
}

/// A machine's /sys, as Linux shows it and hwloc reads it.
class MadeUpMachine : public ScratchRoot {
 protected:
  void SetUp() override {
    ScratchRoot::SetUp();
    write("proc/cpuinfo", "processor\t: 0\n");
    setenv("HWLOC_FSROOT", root().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("HWLOC_FSROOT");
    ScratchRoot::TearDown();
  }

  /// A core, its hardware threads, and the cpus of its socket.
  void core(int id, const Cpus& cpus, int socket, const Cpus& socket_cpus) {
    for (const int cpu : cpus) {
      const auto folder = of(cpu) + "topology/";
      write(folder + "core_id", std::to_string(id) + "\n");
      write(folder + "physical_package_id", std::to_string(socket) + "\n");
      for (const auto* file : {"core_cpus", "thread_siblings"}) write(folder + file, mask(cpus));
      for (const auto* file : {"package_cpus", "core_siblings"}) write(folder + file, mask(socket_cpus));
      all_.insert(cpu);
    }
    const auto list = "0-" + std::to_string(*all_.rbegin()) + "\n";
    for (const auto* file : {"possible", "present", "online"}) write(std::string(cpus_) + file, list);
  }
  /// Sockets of single-threaded cores.
  void sockets(const std::vector<Cpus>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (const int cpu : list[i]) core(cpu, {cpu}, static_cast<int>(i), list[i]);
    }
  }
  void cache(int level, int kib, const Cpus& cpus) {
    for (const int cpu : cpus) {
      const auto folder = of(cpu) + "cache/index" + std::to_string(level) + "/";
      write(folder + "level", std::to_string(level) + "\n");
      write(folder + "type", "Unified\n");
      write(folder + "size", std::to_string(kib) + "K\n");
      write(folder + "coherency_line_size", "64\n");
      write(folder + "shared_cpu_map", mask(cpus));
    }
  }
  void highest_clock(int khz, const Cpus& cpus) {
    for (const int cpu : cpus) write(of(cpu) + "cpufreq/cpuinfo_max_freq", std::to_string(khz) + "\n");
  }
  void nodes(const std::vector<std::pair<Cpus, int>>& cpus_and_gib) {
    const std::string folder = "sys/devices/system/node/";
    const auto list = "0-" + std::to_string(cpus_and_gib.size() - 1) + "\n";
    write(folder + "online", list);
    write(folder + "possible", list);
    for (std::size_t i = 0; i < cpus_and_gib.size(); ++i) {
      const auto number = std::to_string(i);
      write(folder + "node" + number + "/cpumap", mask(cpus_and_gib[i].first));
      write(folder + "node" + number + "/meminfo",
            "Node " + number + " MemTotal:  " + std::to_string(cpus_and_gib[i].second << 20) + " kB\n");
    }
  }

  static constexpr const char* cpus_ = "sys/devices/system/cpu/";

 private:
  std::set<int> all_;

  static std::string of(int cpu) { return cpus_ + ("cpu" + std::to_string(cpu)) + "/"; }
};

inline const MemoryLevel& level(const Topology& topology, std::string_view name) {
  return *std::ranges::find(topology.memory, name, &MemoryLevel::name);
}

}  // namespace gable::openmp
