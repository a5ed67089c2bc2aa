#include "core/device/datasheet_peaks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/device/catalogue.hpp"
#include "core/device/datasheet.hpp"

namespace gable {
namespace {

/// 10 cores a socket x 64 flop x 3 GHz; 12 channels x 8000 MT/s x 8 byte.
void know_the_tender() {
  static const bool once = [] {
    catalogue::add(R"({"cpus": [
      {"name": "Theory Core",
       "rates": [{"dtype": "fp64", "unit": "vector", "flop_per_cycle": 64, "isa": "SVE", "source": "page 7"},
                 {"dtype": "int8", "unit": "vector", "op_per_cycle": 512, "isa": "SVE", "source": "page 7"}],
       "processors": [{"name": "Tender T9", "cores": 10, "memory_channels": 12, "memory_type": "DDR5-8000",
                       "memory_byte_per_s": 768e9, "clock_hz": 3e9, "source": "page 8"}]},
      {"name": "Memory alone",
       "processors": [{"name": "EPYC 9999Q", "memory_type": "HBM9", "memory_byte_per_s": 2e12, "source": "page 9"}]}
    ]})",
                   "tender.json");
    return true;
  }();
  ASSERT_TRUE(once);
}

DeviceInfo processor(const std::string& name, const std::string& microarchitecture) {
  DeviceInfo device;
  device.id = device.backend = "openmp";
  device.name = name;
  device.microarchitecture = microarchitecture;
  device.sockets = 2;
  device.cores = 20;
  device.max_clock_hz = 2e9;
  device.clock_source = "cpufreq";
  device.memory = {{"L1", 65536, 20, 1, 64, "test"}, {"DRAM", 1e12, 1, 20, 64, "test"}};
  device.facts = {{"theoretical peaks", "unknown", "microarchitecture not known"}};
  return device;
}

TEST(UsersTheory, OfAProcessorByItsNameAtTheVendorsClock) {
  know_the_tender();
  DeviceInfo device = processor("Vendor(R) tender(TM) t9 CPU", "");
  add_users_peaks(device);
  ASSERT_EQ(device.peaks.size(), 3U);
  EXPECT_EQ(device.peaks[0].name, "vector");
  EXPECT_EQ(device.peaks[0].dtype, DType::fp64);
  EXPECT_DOUBLE_EQ(device.peaks[0].value, 20 * 64 * 3e9);
  EXPECT_EQ(device.peaks[0].unit, "flop/s");
  EXPECT_EQ(device.peaks[0].confidence, Confidence::stated);
  EXPECT_EQ(device.peaks[0].source,
            "20 cores x 64/cycle (SVE) x 3.000 GHz (page 8); rate: page 7, 'Theory Core' of a devices file");
  EXPECT_DOUBLE_EQ(device.peaks[1].value, 20 * 512 * 3e9);
  EXPECT_EQ(device.peaks[1].unit, "op/s");
  EXPECT_EQ(device.peaks[2].name, "DRAM");
  EXPECT_DOUBLE_EQ(device.peaks[2].value, 2 * 12 * 8000e6 * 8);
  EXPECT_TRUE(device.facts.empty()) << "what is known now is not unknown";
}

TEST(UsersTheory, OfAMicroarchitectureAtTheDevicesClock) {
  know_the_tender();
  DeviceInfo device = processor("Another T91 of the family", "theory core");
  add_users_peaks(device);
  ASSERT_EQ(device.peaks.size(), 2U) << "its memory is not known";
  EXPECT_DOUBLE_EQ(device.peaks[0].value, 20 * 64 * 2e9);
  device = processor("Another", "Theory Core");
  device.max_clock_hz.reset();
  add_users_peaks(device);
  EXPECT_TRUE(device.peaks.empty()) << "no clock, no peak";
  EXPECT_EQ(device.facts.size(), 1U);
}

TEST(UsersTheory, LeavesWhatAWorkerFound) {
  know_the_tender();
  DeviceInfo device = processor("Tender T9", "Zen 4");
  TheoreticalPeak own;
  own.name = "vector";
  own.dtype = DType::fp64;
  own.value = 1;
  device.peaks = {own};
  add_users_peaks(device);
  EXPECT_EQ(device.peaks.front().value, 1);
  EXPECT_EQ(std::ranges::count(device.peaks, std::optional(DType::fp64), &TheoreticalPeak::dtype), 1);
  EXPECT_EQ(device.peaks.size(), 3U);
  const auto after = device.peaks.size();
  add_users_peaks(device);
  EXPECT_EQ(device.peaks.size(), after) << "twice is as once";
}

TEST(UsersTheory, MemoryAloneForAKnownMicroarchitecture) {
  know_the_tender();
  DeviceInfo device = processor("AMD EPYC 9999Q 10-Core Processor", "Zen 4");
  device.facts = {{"theoretical DRAM bandwidth", "unknown", "the catalogue has no such"}};
  add_users_peaks(device);
  ASSERT_EQ(device.peaks.size(), 1U);
  EXPECT_DOUBLE_EQ(device.peaks[0].value, 4e12);
  EXPECT_TRUE(device.facts.empty());
}

/// A quarter of a socket's memory nodes has a quarter of its channels, or not: nobody says so.
TEST(UsersTheory, MemoryOfAPartOfTheNodesNeedsAllCores) {
  know_the_tender();
  DeviceInfo device = processor("Tender T9", "");
  device.facts = {{"memory nodes", "0,1 of 4 nodes", "hwloc"}};
  add_users_peaks(device);
  EXPECT_EQ(device.peaks.size(), 3U) << "20 cores are those of two sockets";
  device = processor("Tender T9", "");
  device.cores = 5;
  device.facts = {{"memory nodes", "0 of 4 nodes", "hwloc"}};
  add_users_peaks(device);
  EXPECT_EQ(device.peaks.size(), 2U);
  ASSERT_EQ(device.facts.size(), 2U);
  EXPECT_EQ(device.facts[1].value, "unknown");
  device = processor("Tender T9", "");
  device.facts = {{"theoretical DRAM bandwidth", "unknown", "the hypervisor shows 8 sockets, and fewer memory nodes"}};
  add_users_peaks(device);
  EXPECT_EQ(device.peaks.size(), 2U) << "a worker saw that these are no sockets";
}

TEST(UsersTheory, IsNotForGpusAndStrangers) {
  know_the_tender();
  DeviceInfo gpu = processor("Tender T9", "");
  gpu.backend = "cuda";
  add_users_peaks(gpu);
  EXPECT_TRUE(gpu.peaks.empty());
  DeviceInfo stranger = processor("Tender T90", "");
  add_users_peaks(stranger);
  EXPECT_TRUE(stranger.peaks.empty());
}

TheoreticalPeak peak_of(const std::string& name, std::optional<DType> dtype, double value) {
  TheoreticalPeak peak;
  peak.name = name;
  peak.dtype = dtype;
  peak.value = value;
  return peak;
}

double value_of(const DeviceInfo& device, const std::string& name, std::optional<DType> dtype) {
  const auto same = [&](const TheoreticalPeak& peak) { return peak.name == name && peak.dtype == dtype; };
  EXPECT_EQ(std::ranges::count_if(device.peaks, same), 1) << name;
  const auto found = std::ranges::find_if(device.peaks, same);
  return found == device.peaks.end() ? 0 : found->value;
}

TEST(TodaysTheory, UsersEntriesReplaceWhatWasStoredAndTheRestStays) {
  know_the_tender();
  DeviceInfo device = processor("Tender T9", "");
  device.peaks = {peak_of("vector", DType::fp64, 1), peak_of("vector", DType::fp16, 2), peak_of("DRAM", {}, 3)};
  use_todays_peaks(device);
  EXPECT_DOUBLE_EQ(value_of(device, "vector", DType::fp64), 20 * 64 * 3e9);
  EXPECT_DOUBLE_EQ(value_of(device, "vector", DType::fp16), 2) << "the entry has no rate of it";
  EXPECT_DOUBLE_EQ(value_of(device, "DRAM", {}), 2 * 12 * 8000e6 * 8);
}

/// Skylake-SP does 32 fp64 flop a cycle and core (2 FMA units x 8 lanes x 2), with AVX-512.
TEST(TodaysTheory, CompiledInRatesNeedTheirInstructions) {
  DeviceInfo device = processor("Some Xeon", "Skylake-SP");
  use_todays_peaks(device);
  EXPECT_TRUE(device.peaks.empty()) << "a virtual machine without AVX-512";
  device.isa = {"avx2", "avx512f"};
  use_todays_peaks(device);
  EXPECT_DOUBLE_EQ(value_of(device, "vector", DType::fp64), 20 * 32 * 2e9);
  DeviceInfo stored = processor("Some Xeon", "Skylake-SP");
  stored.peaks = {peak_of("vector", DType::fp64, 1)};
  use_todays_peaks(stored);
  EXPECT_DOUBLE_EQ(value_of(stored, "vector", DType::fp64), 20 * 32 * 2e9) << "the worker saw the instructions";
}

/// A Xeon Platinum 8180 has 6 channels of DDR4-2666: 6 x 2666e6 x 8 byte/s a socket, two sockets.
TEST(TodaysTheory, MemoryWhereTheWorkerKnewWhichIsUsed) {
  const auto memory_of = [](DeviceInfo device) {
    use_todays_peaks(device);
    const auto found = std::ranges::find(device.peaks, "DRAM", &TheoreticalPeak::name);
    return found == device.peaks.end() ? 0 : found->value;
  };
  constexpr double two_sockets = 2 * 6 * 2666e6 * 8;
  DeviceInfo device = processor("Intel(R) Xeon(R) Platinum 8180 CPU", "Skylake-SP");
  device.peaks = {peak_of("DRAM", {}, 1)};
  EXPECT_NEAR(memory_of(device), two_sockets, 0.01 * two_sockets);
  device.facts = {{"memory nodes", "0 of 4 nodes", "hwloc"}};
  EXPECT_EQ(memory_of(device), 1) << "a part of the sockets' memory: what the worker found stays";
  device = processor("Intel(R) Xeon(R) Platinum 8180 CPU", "Skylake-SP");
  EXPECT_EQ(memory_of(device), 0) << "nobody knows which memory its cores use";
  device.facts = {
      {"theoretical DRAM bandwidth", "unknown", "speed cannot be read, and " + std::string(no_entry) + " 'Xeon'"}};
  EXPECT_NEAR(memory_of(device), two_sockets, 0.01 * two_sockets);
}

/// 128 cores x 32 flop a cycle (2 FMA units x 8 lanes x 2) at 3.2 GHz; one core alone at 3.9 GHz.
TEST(TodaysTheory, OfACpuIsADatasheetWhereAClockIsDocumentedForSoManyCores) {
  DeviceInfo device = processor("Intel(R) Xeon(R) 6980P", "Granite Rapids");
  device.isa = {"avx2", "avx512f"};
  device.sockets = 1;
  device.cores = 128;
  device.max_clock_hz = 3.9e9;
  use_todays_peaks(device);
  const auto* peak = &*std::ranges::find(device.peaks, std::optional(DType::fp64), &TheoreticalPeak::dtype);
  EXPECT_DOUBLE_EQ(peak->value, 128 * 32 * 3.2e9);
  EXPECT_EQ(datasheet_value(device, *peak, 128), 128 * 32 * 3.2e9);
  EXPECT_EQ(datasheet_value(device, *peak, 1), 32 * 3.9e9);
  EXPECT_FALSE(datasheet_value(device, *peak, 64)) << "nothing is documented for half of the cores";
  device.cores = 8;  // of a virtual machine: its neighbours decide the clock
  use_todays_peaks(device);
  peak = &*std::ranges::find(device.peaks, std::optional(DType::fp64), &TheoreticalPeak::dtype);
  EXPECT_FALSE(datasheet_value(device, *peak, 8));
  EXPECT_EQ(datasheet_value(device, *peak, 1), 32 * 3.9e9);
  Ceiling row;
  row.kind = CeilingKind::compute;
  row.name = "vector";
  row.dtype = DType::fp64;
  row.threads = 8;
  row.datasheet = 1e12;  // an older program's, of the nominal clock
  add_datasheet(device, row);
  EXPECT_FALSE(row.datasheet);
  device.facts.push_back({std::string(core_kinds_fact), "two kinds of cores", "hwloc"});
  EXPECT_FALSE(datasheet_value(device, *peak, 1));
}

TEST(TodaysTheory, GpusHaveTheHighestFigureOfTheirProduct) {
  const auto& h200 = catalogue::find_device("H200 SXM 141GB");
  DeviceInfo gpu;
  gpu.backend = "cuda";
  gpu.name = "NVIDIA H200";
  gpu.vendor = h200.vendor;
  gpu.cores = h200.compute_units.value();
  gpu.memory = {{"HBM", h200.memory_byte, 1, gpu.cores, 0, "test"}};
  gpu.peaks = {peak_of("matrix", DType::bf16, 1), peak_of("vector", DType::int8, 7), peak_of("HBM", {}, 2)};
  gpu.peaks[0].accumulate = DType::fp32;
  use_todays_peaks(gpu);
  EXPECT_DOUBLE_EQ(value_of(gpu, "HBM", {}), h200.memory_byte_per_s);
  const auto* printed = catalogue::peak(h200, DType::bf16, Unit::matrix, DType::fp32);
  ASSERT_NE(printed, nullptr);
  EXPECT_DOUBLE_EQ(value_of(gpu, "matrix", DType::bf16), printed->value);
  EXPECT_DOUBLE_EQ(value_of(gpu, "vector", DType::int8), 7) << "vendors print none";
}

TEST(TodaysTheory, AFlagForEachInstructionSet) {
  EXPECT_EQ(needed_flag("AVX2+FMA"), "avx2");
  EXPECT_EQ(needed_flag("AVX-512 (double-pumped)"), "avx512f");
  EXPECT_EQ(needed_flag("AVX-512BW"), "avx512bw");
  EXPECT_EQ(needed_flag("AVX512_VNNI"), "avx512_vnni");
  EXPECT_EQ(needed_flag("AMX-BF16"), "amx_bf16");
  EXPECT_EQ(needed_flag("NEON 4x128b"), "");
}

/// Half of the peak's cores has half of the peak.
TEST(UsersTheory, GivesRowsTheirPercentOfTheDatasheet) {
  know_the_tender();
  DeviceInfo device = processor("Tender T9", "");
  add_users_peaks(device);
  Ceiling row;
  row.kind = CeilingKind::compute;
  row.name = "vector";
  row.dtype = row.accumulate = DType::fp64;
  row.threads = 20;
  add_datasheet(device, row);
  EXPECT_DOUBLE_EQ(row.datasheet.value(), 20 * 64 * 3e9);
  row.threads = 10;
  add_datasheet(device, row);
  EXPECT_FALSE(row.datasheet) << "the clock of ten of them may be higher";
}

}  // namespace
}  // namespace gable
