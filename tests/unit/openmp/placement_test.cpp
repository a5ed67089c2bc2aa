#include "backends/openmp/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/openmp/peaks.hpp"

namespace gable::openmp {
namespace {

// 2 sockets of 2 NUMA nodes with 4 cores of 2 hardware threads each: 8 a node.
const char* const machine = "package:2 [numa(memory=4GiB)] l3:2(size=16MiB) core:4 pu:2";
const char* const split = "package:2 l3:2(size=16MiB) [numa(memory=4GiB)] core:4 pu:2";

std::string value_of(const std::vector<Fact>& facts, const std::string& name) {
  const auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? "" : found->value;
}

std::string said(const char* description, const Binding& binding, const std::string& name) {
  return value_of(placement_facts(synthetic_topology(description, binding), binding.quota), name);
}

TEST(Placement, WholeMachine) {
  EXPECT_EQ(said(machine, {}, "usable cpus"), "32 hardware threads on 16 cores: 0-31");
  EXPECT_EQ(said(machine, {}, "part of the machine"), "all cores");
  EXPECT_EQ(said(machine, {}, "memory nodes"), "0-1");
  EXPECT_EQ(said(machine, {}, "hardware threads of others"), "");
  EXPECT_EQ(said(machine, {}, "cores under the cpu quota"), "");
}

TEST(Placement, PartsOfSocketsAreNamed) {
  const Binding part{.cpus = {{0, 1, 2, 3, 16}}};
  EXPECT_EQ(said(machine, part, "usable cpus"), "5 hardware threads on 3 cores: 0-3,16");
  EXPECT_EQ(said(machine, part, "part of the machine"), "3 of 16 cores: 2 of socket 0, 1 of socket 1");
  EXPECT_EQ(said(machine, part, "hardware threads of others"), "on 1 core");
  EXPECT_EQ(said(machine, {.cpus = {{4}}}, "usable cpus"), "1 hardware thread on 1 core: 4");
}

TEST(Placement, MemoryOfOtherNodesIsNamed) {
  const Binding away{.cpus = {{0}}, .memory_nodes = {{1}}};
  EXPECT_EQ(said(machine, away, "memory nodes"), "1 of 2 nodes");
  EXPECT_EQ(said(machine, away, "memory of other nodes"), "yes");
  EXPECT_EQ(said(machine, {.cpus = {{0}}}, "memory nodes"), "0 of 2 nodes");
  EXPECT_EQ(said(machine, {.cpus = {{0}}}, "memory of other nodes"), "");
}

TEST(Placement, AQuotaBelowOneCoreIsAWarning) {
  const auto source = [](double quota) {
    const auto facts = placement_facts(synthetic_topology(machine, {.quota = quota}), quota);
    return std::ranges::find(facts, "cores under the cpu quota", &Fact::name)->source;
  };
  EXPECT_NE(source(0.5).find("too low"), std::string::npos);
  EXPECT_EQ(source(2.5), "cgroup allows 2.50 cpus; no more whole cores are used");
}

/// An EPYC 7763 of the catalogue (Zen 3: 16 fp64 flop a cycle and core; 8 channels of DDR4-3200) at 3 GHz, of which the
/// topology is left.
DeviceInfo epyc(const char* description, const Binding& binding) {
  const auto topology = synthetic_topology(description, binding);
  DeviceInfo device;
  device.name = "AMD EPYC 7763 64-Core Processor";
  device.microarchitecture = "Zen 3";
  device.max_clock_hz = 3e9;
  device.cores = static_cast<int>(topology.cores.size());
  device.sockets = topology.sockets;
  CpuIdentity cpu;
  cpu.flags = {"avx2", "fma"};
  add_peaks(device, cpu, topology);
  return device;
}

double peak(const DeviceInfo& device, const std::string& name, std::optional<DType> dtype = {}) {
  const auto found = std::ranges::find_if(
      device.peaks, [&](const TheoreticalPeak& entry) { return entry.name == name && entry.dtype == dtype; });
  return found == device.peaks.end() ? 0.0 : found->value;
}

constexpr double socket_byte_per_s = 8 * 3200e6 * 8;

TEST(Peaks, ComputeCountsUsableCoresOnly) {
  EXPECT_DOUBLE_EQ(peak(epyc(machine, {}), "vector", DType::fp64), 16 * 16 * 3e9);
  EXPECT_DOUBLE_EQ(peak(epyc(machine, {.cpus = {{0, 1, 2}}}), "vector", DType::fp64), 2 * 16 * 3e9)
      << "three hardware threads are two cores";
}

TEST(Peaks, BandwidthIsThatOfTheMemoryWhichIsUsed) {
  EXPECT_DOUBLE_EQ(peak(epyc(machine, {}), "DRAM"), 2 * socket_byte_per_s);
  EXPECT_DOUBLE_EQ(peak(epyc(machine, {.cpus = {{0}}}), "DRAM"), socket_byte_per_s) << "one core may use all channels";
  EXPECT_DOUBLE_EQ(peak(epyc(split, {.cpus = {{0}}}), "DRAM"), socket_byte_per_s / 2) << "one of two nodes";
  EXPECT_DOUBLE_EQ(peak(epyc(machine, {.memory_nodes = {{1}}}), "DRAM"), socket_byte_per_s)
      << "cores of two sockets, memory of one";
}

}  // namespace
}  // namespace gable::openmp
