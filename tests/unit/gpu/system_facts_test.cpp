#include "backends/hip/system_facts.hpp"

#include <string>

#include "tests/unit/gpu/made_up_system.hpp"

namespace gable::gpu::test {
namespace {

namespace fs = std::filesystem;
constexpr double mib = 1024.0 * 1024.0;

/// A /sys of a host with an MI300X in CPX/NPS4 at 0000:c1:00 and a CPU node without SIMD units.
class System : public MadeUpSystem {
 protected:
  System() {
    const fs::path device = "bus/pci/devices/0000:c1:00.0";
    write(device / "current_compute_partition", "CPX\n");
    write(device / "current_memory_partition", "NPS4\n");
    write(device / "mem_info_vram_total", "206141652992\n");
    write(device / "mem_info_vram_used", "1000000000\n");
    const fs::path nodes = "class/kfd/kfd/topology/nodes";
    write(nodes / "0/properties", "cpu_cores_count 64\nsimd_count 0\nlocation_id 0\ndomain 0\n");
    write(nodes / "1/properties", "simd_count 152\nlocation_id 768\ndomain 0\nnum_xcc 8\n");
    // location_id: partition 3 in the highest bits, bus 0xc1, device 0, function 3.
    write(nodes / "2/properties", "simd_count 152\nlocation_id 805355779\ndomain 0\nnum_xcc 1\n");
    write(nodes / "2/caches/0/properties", "level 1\nsize 32\n");
    write(nodes / "2/caches/1/properties", "level 3\nsize 65536\n");
  }
};

TEST_F(System, PartitionsDiesAndTheInfinityCacheAreThoseOfTheAddress) {
  const auto facts = read_system_facts(root_, "0000:c1:00.0");
  EXPECT_EQ(facts.compute_partition, "CPX");
  EXPECT_EQ(facts.memory_partition, "NPS4");
  EXPECT_EQ(facts.dies, 1);
  EXPECT_EQ(facts.infinity_cache_bytes, 64 * mib);
  EXPECT_EQ(facts.memory_bytes, 206141652992.0);
  EXPECT_EQ(facts.used_memory_bytes, 1e9);
}

/// HIP numbers partitions by PCI function; the driver's folder is that of function 0.
TEST_F(System, APartitionsAddressFindsTheWholeDevice) {
  EXPECT_EQ(read_system_facts(root_, "0000:c1:00.3").compute_partition, "CPX");
}

TEST_F(System, AChipWithoutPartitionsIsNoPartition) {
  write("bus/pci/devices/0000:05:00.0/current_compute_partition", "UNKNOWN\n");
  write("bus/pci/devices/0000:05:00.0/current_memory_partition", "UNKNOWN\n");
  const auto facts = read_system_facts(root_, "0000:05:00.0");
  EXPECT_EQ(facts.compute_partition, "");
  EXPECT_EQ(facts.memory_partition, "");
}

TEST_F(System, WhatIsNotThereIsUnknown) {
  for (const char* address : {"0000:05:00.0", "", "card0"}) {
    const auto facts = read_system_facts(root_, address);
    EXPECT_EQ(facts.compute_partition, "");
    EXPECT_EQ(facts.dies, 0);
    EXPECT_EQ(facts.memory_bytes, 0);
  }
}

/// Kernels told the runtime the L2 of one die or of all; it is 4 MiB each.
TEST(SystemFacts, L2IsThatOfAllDiesWhateverTheRuntimeTold) {
  for (const double told : {4 * mib, 32 * mib}) {
    DeviceFacts facts;
    facts.isa = "gfx942";
    facts.l2_bytes = told;
    SystemFacts system;
    system.dies = 8;
    add_system_facts(facts, system);
    EXPECT_EQ(facts.l2_bytes, 32 * mib);
    EXPECT_EQ(facts.l2_instances, 8);
  }
  DeviceFacts die;
  die.isa = "gfx90a";
  die.l2_bytes = 8 * mib;
  SystemFacts one;
  one.dies = 1;
  add_system_facts(die, one);
  EXPECT_EQ(die.l2_bytes, 8 * mib);
  EXPECT_EQ(die.l2_instances, 1);
}

/// CDNA3 white paper: 256 MiB. Streams of main memory must be larger than it also where an old driver is silent.
TEST(SystemFacts, AnMi300HasItsInfinityCacheAlsoWhereTheDriverDoesNotTell) {
  DeviceFacts facts;
  facts.isa = "gfx942";
  add_system_facts(facts, SystemFacts{});
  EXPECT_EQ(facts.infinity_cache_bytes, 256 * mib);
  EXPECT_NE(facts.infinity_cache_source.find("white paper"), std::string::npos);
  SystemFacts parted;
  parted.memory_partition = "NPS4";
  add_system_facts(facts, parted);
  EXPECT_EQ(facts.infinity_cache_bytes, 0);
  SystemFacts quarter;
  quarter.infinity_cache_bytes = 64 * mib;
  add_system_facts(facts, quarter);
  EXPECT_EQ(facts.infinity_cache_bytes, 64 * mib);
  DeviceFacts cdna2;
  cdna2.isa = "gfx90a";
  add_system_facts(cdna2, SystemFacts{});
  EXPECT_EQ(cdna2.infinity_cache_bytes, 0);
}

TEST(SystemFacts, FreeMemoryIsTheDriversIfItSpeaksOfTheSameMemory) {
  DeviceFacts facts;
  facts.memory_bytes = 64e9;
  SystemFacts system;
  system.memory_bytes = 64.2e9;
  system.used_memory_bytes = 4.2e9;
  add_system_facts(facts, system);
  EXPECT_DOUBLE_EQ(facts.free_memory_bytes, 60e9);
  facts.free_memory_bytes = 0;
  system.memory_bytes = 512e6;  // an APU's carve-out
  add_system_facts(facts, system);
  EXPECT_EQ(facts.free_memory_bytes, 0);
  EXPECT_NE(facts.free_memory_unknown, "");
}

TEST(HipNames, AreShownWithoutFeaturesAndInTheirOwnNumbering) {
  EXPECT_EQ(architecture("gfx942:sramecc+:xnack-"), "gfx942");
  EXPECT_EQ(architecture("gfx1100"), "gfx1100");
  EXPECT_EQ(hip_version_text(60443484), "6.4.43484");
  EXPECT_EQ(hip_version_text(70226015), "7.2.26015");
  EXPECT_EQ(hip_version_text(0), "");
}

// RX 7900 XTX: 96 compute units (AMD's product page), of which the runtime tells 48 work-group processors.
TEST(ComputeUnits, AreTwoInAWorkGroupProcessorOfRdna) {
  EXPECT_EQ(compute_units("gfx1100", 48), 96);
  EXPECT_EQ(compute_units("gfx942", 304), 304);
  EXPECT_EQ(compute_units("gfx90a", 104), 104);
}

/// 25 MHz on gfx90a: the runtime says so, and where it says nothing the architecture decides.
TEST(Ticks, ASecondHasAsManyAsTheRuntimeOrTheArchitectureSays) {
  EXPECT_EQ(tick_hz_of("gfx90a", 25000), 25e6);
  EXPECT_EQ(tick_hz_of("gfx90a", 0), 25e6);
  EXPECT_EQ(tick_hz_of("gfx942", 0), 100e6);
  EXPECT_EQ(tick_hz_of("gfx950", 0), 100e6);
  EXPECT_EQ(tick_hz_of("gfx942", 27000), 27e6);
}

}  // namespace
}  // namespace gable::gpu::test
