#include <gtest/gtest.h>

#include <algorithm>

#include "backends/openmp/clock.hpp"
#include "backends/openmp/cpu_identity.hpp"
#include "backends/openmp/facts.hpp"
#include "backends/openmp/memory.hpp"
#include "tests/unit/openmp/scratch_root.hpp"

namespace gable::openmp {
namespace {

class Facts : public ScratchRoot {
 protected:
  Fact fact(const std::string& name, int cpu = 0) const {
    const auto facts = host_facts(cpu, root());
    const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& entry) { return entry.name == name; });
    return found == facts.end() ? Fact{name, "missing", ""} : *found;
  }
};

TEST_F(Facts, EveryUnreadableFactIsUnknownWithAReason) {
  for (const auto* name :
       {"governor", "turbo", "smt", "transparent huge pages", "numa balancing", "hypervisor", "mitigations",
        "isolated cpus", "offline cpus", "microcode", "ecc", "power cap", "family and model"}) {
    EXPECT_EQ(fact(name).value, "unknown") << name;
    EXPECT_FALSE(fact(name).source.empty()) << name;
  }
  write("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  EXPECT_EQ(fact("hypervisor").value, "unknown") << "no flag of Arm's tells it";
}

TEST_F(Facts, ReadsTheSettings) {
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  write("sys/devices/system/cpu/smt/control", "off\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
  write("sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n");
  write("sys/devices/system/cpu/isolated", "\n");
  write("proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmicrocode\t: 0xa0011d1\nflags\t\t: "
        "fpu hypervisor avx2\n\nprocessor\t: 1\n");
  write("proc/cmdline", "root=/dev/secret isolcpus=2-7 quiet nohz_full=2-7\n");
  EXPECT_EQ(fact("governor").value, "powersave");
  EXPECT_EQ(fact("turbo").value, "off");
  EXPECT_EQ(fact("smt").value, "off");
  EXPECT_EQ(fact("transparent huge pages").value, "madvise");
  EXPECT_EQ(fact("mitigations").value, "meltdown");
  EXPECT_EQ(fact("isolated cpus").value, "none");
  EXPECT_EQ(fact("microcode").value, "0xa0011d1");
  EXPECT_EQ(fact("family and model").value, "25, 1");
  EXPECT_EQ(fact("hypervisor").value, "yes");
  EXPECT_EQ(fact("kernel options").value, "isolcpus=2-7 nohz_full=2-7") << "and nothing else of the command line";
}

TEST_F(Facts, OfflineCpusArePresentAndNotOnline) {
  write("sys/devices/system/cpu/present", "0-7\n");
  write("sys/devices/system/cpu/online", "0-3,6\n");
  write("sys/devices/system/cpu/offline", "4-5,7-255\n");  // also those that the machine could have and has not
  EXPECT_EQ(fact("offline cpus").value, "4-5,7");
  write("sys/devices/system/cpu/online", "0-7\n");
  EXPECT_EQ(fact("offline cpus").value, "none");
}

TEST_F(Facts, TheGovernorIsThatOfTheCpu) {
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpu4/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(fact("governor", 4).value, "performance");
}

TEST_F(Facts, BoostFileTellsTurboWithoutIntelPstate) {
  write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(fact("turbo").value, "on");
}

TEST_F(Facts, EccIsTheModeOfTheFirstModule) {
  write("sys/devices/system/edac/mc/mc0/ce_count", "0\n");
  write("sys/devices/system/edac/mc/mc0/dimm1/dimm_edac_mode", "SECDED\n");
  EXPECT_EQ(fact("ecc").value, "SECDED");
}

TEST_F(Facts, PowerCapIsTheLongTermLimitOfEveryPackage) {
  write("sys/class/powercap/intel-rapl:0/name", "package-0\n");
  write("sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw", "205000000\n");
  write("sys/class/powercap/intel-rapl:0/constraint_1_power_limit_uw", "246000000\n");
  write("sys/class/powercap/intel-rapl:0:0/name", "dram\n");
  write("sys/class/powercap/intel-rapl:0:0/constraint_0_power_limit_uw", "30000000\n");
  write("sys/class/powercap/intel-rapl:1/name", "package-1\n");
  write("sys/class/powercap/intel-rapl:1/constraint_0_power_limit_uw", "200000000\n");
  EXPECT_EQ(fact("power cap").value, "package-0 205 W, package-1 200 W");
}

class HugePages : public ScratchRoot {};

TEST_F(HugePages, ShareOfTheAnonymousMemory) {
  EXPECT_FALSE(huge_page_fraction(root()));
  write("proc/self/smaps_rollup",
        "00400000-7fff0000 ---p 00000000 00:00 0 [rollup]\nRss: 9000 kB\nAnonymous: 8192 kB\n"
        "LazyFree: 0 kB\nAnonHugePages: 6144 kB\n");
  EXPECT_DOUBLE_EQ(huge_page_fraction(root()).value(), 0.75);
  write("proc/self/smaps_rollup", "Anonymous: 8192 kB\nAnonHugePages: 0 kB\n");
  EXPECT_DOUBLE_EQ(huge_page_fraction(root()).value(), 0.0);
}

class Identity : public ScratchRoot {};

TEST_F(Identity, X86) {
  write("proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763\n"
        "flags\t\t: fpu sse2 fma avx2 f16c\n\nprocessor\t: 1\nmodel\t\t: 99\n");
  const auto cpu = cpu_identity(0, root());
  EXPECT_EQ(cpu.vendor, "AuthenticAMD");
  EXPECT_EQ(cpu.name, "AMD EPYC 7763");
  EXPECT_EQ(cpu.family, 25);
  EXPECT_EQ(cpu.model, 1) << "of the first processor";
  EXPECT_EQ(instruction_sets(cpu), (std::vector<std::string>{"sse2", "f16c", "fma", "avx2"}));
}

TEST_F(Identity, Arm) {
  write("proc/cpuinfo",
        "processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd40\n");
  const auto cpu = cpu_identity(0, root());
  EXPECT_EQ(cpu.vendor, "0x41");
  EXPECT_EQ(cpu.model, 0xd40);
  EXPECT_EQ(instruction_sets(cpu), (std::vector<std::string>{"asimd", "sve"}));
}

TEST_F(Identity, NameOnOtherArchitectures) {
  const auto name = [&](const char* line) {
    write("proc/cpuinfo", std::string("system type\t: generic\n\nprocessor\t: 0\n") + line);
    return cpu_identity(0, root()).name;
  };
  EXPECT_EQ(name("cpu\t\t: POWER9, altivec supported\n"), "POWER9, altivec supported");
  EXPECT_EQ(name("Model Name\t: Loongson-3C5000\n"), "Loongson-3C5000");
  EXPECT_EQ(name("isa\t: rv64imafdc\nuarch\t: sifive,u74\n"), "sifive,u74");
}

TEST_F(Identity, CoresOfTwoKindsAreToldApart) {
  write("proc/cpuinfo",
        "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n"
        "processor\t: 4\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n");  // no empty line at the end
  write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "1800000\n");
  write("sys/devices/system/cpu/cpu4/cpufreq/cpuinfo_max_freq", "2400000\n");
  EXPECT_EQ(cpu_identity(0, root()).model, 0xd05);
  EXPECT_EQ(cpu_identity(4, root()).model, 0xd0b);
  EXPECT_EQ(cpu_identity(9, root()).model, 0xd05) << "of the first where the cpu is not listed";
  EXPECT_DOUBLE_EQ(clock_limits(4, root()).max_hz.value(), 2.4e9);
}

TEST_F(Identity, ClockLimitsFromCpufreqInHertz) {
  write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3500000\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/base_frequency", "2450000\n");
  const auto limits = clock_limits(0, root());
  EXPECT_DOUBLE_EQ(limits.max_hz.value(), 3.5e9);
  EXPECT_DOUBLE_EQ(limits.base_hz.value(), 2.45e9);
  EXPECT_EQ(limits.source, "cpufreq");
}

TEST_F(Identity, AMaximumWithoutTheBoostIsTheNominalClock) {
  write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "2450000\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_available_frequencies", "2450000 2000000 1500000\n");
  EXPECT_DOUBLE_EQ(clock_limits(0, root()).max_hz.value(), 2.45e9) << "it cannot boost";
  write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  const auto limits = clock_limits(0, root());
  EXPECT_FALSE(limits.max_hz);
  EXPECT_DOUBLE_EQ(limits.base_hz.value(), 2.45e9);
  EXPECT_EQ(limits.source, "cpufreq, which does not tell the boost");
}

class Sensors : public ScratchRoot {};

TEST_F(Sensors, NothingWithoutFiles) {
  const auto conditions = Telemetry(root()).now();
  EXPECT_FALSE(conditions.power_w);
  EXPECT_FALSE(conditions.temperature_c);
  EXPECT_FALSE(conditions.clock_hz);
}

TEST_F(Sensors, PowerNeedsTwoReadingsAndSurvivesAWrap) {
  write("class/powercap/intel-rapl:0/name", "package-0\n");
  write("class/powercap/intel-rapl:0/energy_uj", "9000000\n");
  write("class/powercap/intel-rapl:0/max_energy_range_uj", "10000000\n");
  write("class/powercap/intel-rapl:0:0/name", "dram\n");
  write("class/powercap/intel-rapl:0:0/energy_uj", "5000000\n");
  Telemetry telemetry(root());
  EXPECT_FALSE(telemetry.now().power_w);
  write("class/powercap/intel-rapl:0/energy_uj", "1000000\n");  // 2 J later
  EXPECT_GT(telemetry.now().power_w.value(), 0.0);
  EXPECT_EQ(telemetry.now().power_w.value(), 0.0) << "no energy since";
}

TEST_F(Sensors, SayWhatHeldTheClockBackSinceTheLastReading) {
  EXPECT_FALSE(Telemetry(root()).now().clock_limits) << "unknown";
  write("devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "41\n");
  write("devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "7\n");
  write("devices/system/cpu/cpu1/thermal_throttle/package_power_limit_count", "0\n");
  Telemetry telemetry(root());
  EXPECT_EQ(telemetry.now().clock_limits, "") << "what was before does not count";
  write("devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "9\n");
  EXPECT_EQ(telemetry.now().clock_limits, "temperature");
  write("devices/system/cpu/cpu1/thermal_throttle/package_power_limit_count", "2\n");
  EXPECT_EQ(telemetry.now().clock_limits, "power limit");
  EXPECT_EQ(telemetry.now().clock_limits, "");
}

TEST_F(Sensors, TheHottestCpuSensorCounts) {
  write("class/hwmon/hwmon0/name", "nvme\n");
  write("class/hwmon/hwmon0/temp1_input", "90000\n");
  write("class/hwmon/hwmon1/name", "k10temp\n");
  write("class/hwmon/hwmon1/temp1_input", "45250\n");
  write("class/hwmon/hwmon1/temp3_input", "51000\n");
  EXPECT_DOUBLE_EQ(Telemetry(root()).now().temperature_c.value(), 51.0);
}

// 2 sockets of 2 NUMA nodes with 4 cores of 2 hardware threads each: 8 a node.
const char* const machine = "package:2 [numa(memory=4GiB)] l3:2(size=16MiB) core:4 pu:2";
const char* const split = "package:2 l3:2(size=16MiB) [numa(memory=4GiB)] core:4 pu:2";

std::string value_of(const std::vector<Fact>& facts, const std::string& name) {
  const auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? "" : found->value;
}

std::string said(const char* description, const Binding& binding, const std::string& name) {
  return value_of(binding_facts(synthetic_topology(description, binding), binding.quota), name);
}

TEST(BindingFacts, WholeMachine) {
  EXPECT_EQ(said(machine, {}, "usable cpus"), "32 hardware threads on 16 cores: 0-31");
  EXPECT_EQ(said(machine, {}, "part of the machine"), "all cores");
  EXPECT_EQ(said(machine, {}, "memory nodes"), "0-1");
  EXPECT_EQ(said(machine, {}, "hardware threads of others"), "");
  EXPECT_EQ(said(machine, {}, "cores under the cpu quota"), "");
}

TEST(BindingFacts, PartsOfSocketsAreNamed) {
  const Binding part{.cpus = {{0, 1, 2, 3, 16}}};
  EXPECT_EQ(said(machine, part, "usable cpus"), "5 hardware threads on 3 cores: 0-3,16");
  EXPECT_EQ(said(machine, part, "part of the machine"), "3 of 16 cores: 2 of socket 0, 1 of socket 1");
  EXPECT_EQ(said(machine, part, "hardware threads of others"), "on 1 core");
  EXPECT_EQ(said(machine, {.cpus = {{4}}}, "usable cpus"), "1 hardware thread on 1 core: 4");
}

TEST(BindingFacts, MemoryOfOtherNodesIsNamed) {
  const Binding away{.cpus = {{0}}, .memory_nodes = {{1}}};
  EXPECT_EQ(said(machine, away, "memory nodes"), "1 of 2 nodes");
  EXPECT_EQ(said(machine, away, "memory of other nodes"), "yes");
  EXPECT_EQ(said(machine, {.cpus = {{0}}}, "memory nodes"), "0 of 2 nodes");
  EXPECT_EQ(said(machine, {.cpus = {{0}}}, "memory of other nodes"), "");
}

TEST(BindingFacts, AQuotaBelowOneCoreIsAWarning) {
  const auto source = [](double quota) {
    const auto facts = binding_facts(synthetic_topology(machine, {.quota = quota}), quota);
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
