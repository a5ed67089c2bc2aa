#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/device/catalogue.hpp"
#include "tests/unit/device/cpu_rate.hpp"

/// Every printed peak against units x rate x clock. What an architecture does in a cycle is written here once more, out
/// of documents that print no peaks.
namespace gable::catalogue {
namespace {

/// Flop (op of integers) of one compute unit in one cycle; 0: it has no such unit.
struct Rates {
  std::string_view isa;
  double fp64, fp32, fp16, int8, int4;                                   ///< vector units
  double m_fp64, m_fp32, m_tf32, m_fp16, m_bf16, m_fp8, m_int8, m_int4;  ///< matrix units
  double m_fp6 = 0, m_fp4 = 0;  ///< matrix units; with scales of blocks or without
};

// sm_*: CUDA C++ Programming Guide, table of arithmetic throughput (results per cycle and SM; a fused multiply-add is 2
// flop); the architectures' whitepapers have the tensor cores' fp16 multiply-adds per cycle and SM: V100 512, A100
// 1024, H100 2048. sm_103 has no tensor cores for int8: 64 dp4a, of 8 op each. gfx9*: ROCm documentation,
// microarchitecture pages, FLOPS/CLOCK/CU. fp6 and fp4: sm_100 and sm_120 multiply fp6 as fast as fp8 and block-scaled
// fp4 twice as fast (CUTLASS documentation, Blackwell functionality), GeForce cards too; sm_103 fp4 1.5 times as fast
// as sm_100 (Blackwell Ultra datasheet); gfx950 fp6 as fast as fp4, twice fp8 (CDNA 4 whitepaper). gfx1100:
// gpuopen.com/learn/wmma_on_rdna3; gfx1201: gpuopen.com/learn/using_matrix_core_amd_rdna4 (fp8 as int8). Xe-HPC: Intel
// Architecture Day 2021. Gaudi 3: eight engines of 256 x 256 multiply-adds (Hot Chips 2024), for 64 units.
constexpr std::array<Rates, 21> architectures{
    {{"sm_60", 64, 128, 256, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     {"sm_70", 64, 128, 256, 0, 0, 0, 0, 0, 1024, 0, 0, 0, 0},
     {"sm_75", 4, 128, 256, 0, 0, 0, 0, 0, 1024, 0, 0, 2048, 4096},
     {"sm_80", 64, 128, 512, 0, 0, 128, 0, 1024, 2048, 2048, 0, 4096, 8192},
     {"sm_86", 4, 256, 256, 0, 0, 0, 0, 512, 1024, 1024, 0, 2048, 4096},
     {"sm_89", 4, 256, 256, 0, 0, 0, 0, 512, 1024, 1024, 2048, 2048, 4096},
     {"sm_90", 128, 256, 512, 0, 0, 256, 0, 2048, 4096, 4096, 8192, 8192, 0},
     {"sm_100", 128, 256, 512, 0, 0, 128, 0, 4096, 8192, 8192, 16384, 16384, 0, 16384, 32768},
     {"sm_103", 4, 256, 512, 0, 0, 4, 0, 4096, 8192, 8192, 16384, 512, 0, 16384, 49152},
     {"sm_120", 4, 256, 256, 0, 0, 0, 0, 512, 1024, 1024, 2048, 2048, 0, 2048, 4096},
     {"sm_121", 4, 256, 256, 0, 0, 0, 0, 512, 1024, 1024, 2048, 2048, 0, 2048, 4096},
     {"gfx906", 64, 128, 256, 512, 1024, 0, 0, 0, 0, 0, 0, 0, 0},
     {"gfx908", 64, 128, 256, 0, 0, 0, 256, 0, 1024, 512, 0, 1024, 1024},
     {"gfx90a", 128, 128, 256, 0, 0, 256, 256, 0, 1024, 1024, 0, 1024, 1024},
     {"gfx942", 128, 256, 256, 0, 0, 256, 256, 1024, 2048, 2048, 4096, 4096, 0},
     {"gfx950", 128, 256, 256, 0, 0, 128, 256, 0, 4096, 4096, 8192, 8192, 0, 16384, 16384},
     {"gfx1100", 8, 256, 512, 0, 0, 0, 0, 0, 512, 512, 0, 512, 1024},
     {"gfx1200", 8, 256, 512, 0, 0, 0, 0, 0, 1024, 1024, 2048, 2048, 4096},
     {"gfx1201", 8, 256, 512, 0, 0, 0, 0, 0, 1024, 1024, 2048, 2048, 4096},
     {"Xe-HPC", 256, 256, 512, 0, 0, 0, 0, 2048, 4096, 4096, 0, 8192, 0},
     {"Gaudi 3", 0, 0, 0, 0, 0, 0, 0, 0, 0, 16384, 16384, 0, 0}}};

double rate_of_type(const Rates& rates, Unit unit, DType dtype) {
  const bool vector = unit == Unit::vector;
  switch (dtype) {
    case DType::fp64:
      return vector ? rates.fp64 : rates.m_fp64;
    case DType::fp32:
      return vector ? rates.fp32 : rates.m_fp32;
    case DType::tf32:
      return vector ? 0 : rates.m_tf32;
    case DType::fp16:
      return vector ? rates.fp16 : rates.m_fp16;
    case DType::bf16:
      return vector ? 0 : rates.m_bf16;
    case DType::int8:
      return vector ? rates.int8 : rates.m_int8;
    case DType::int4:
      return vector ? rates.int4 : rates.m_int4;
    default:
      break;
  }
  if (vector) return 0;
  const double size = size_bytes(element_of(dtype));
  return size == 1 ? rates.m_fp8 : (size == 0.75 ? rates.m_fp6 : rates.m_fp4);
}

/// Of a unit and cycle; 0 if it is not known. GeForce cards sum up in fp32 at half the rate of the same chip's
/// professional cards (Ada whitepaper, appendix A), but products of fp4 (RTX Blackwell whitepaper, appendix A); packed
/// instructions do two vectors at once (CDNA 2 whitepaper).
double rate_of(const Device& device, const TheoreticalPeak& peak) {
  const auto known = std::ranges::find(architectures, std::string_view(device.isa), &Rates::isa);
  if (known == architectures.end()) return 0;
  const Unit unit = parse_unit(peak.name).value();
  double rate = rate_of_type(*known, unit, *peak.dtype);
  const bool in_fp32 = unit == Unit::matrix && peak.accumulate == DType::fp32 && peak.dtype != DType::nvfp4;
  if (device.name.starts_with("GeForce") && in_fp32) rate /= 2;
  if (peak.source.find("(packed instructions)") != std::string::npos) rate *= 2;
  return rate;
}

/// Boost of vector units also where a matrix unit's figure is printed for it: fp64, and int8 without tensor cores.
bool at_vector_clock(const Device& device, const TheoreticalPeak& peak) {
  return peak.name == "vector" || peak.dtype == DType::fp64 || (device.isa == "sm_103" && peak.dtype == DType::int8);
}

/// Half a unit of the last digit that is printed, and what the doubling or halving of a rounded figure adds: 31.4 is
/// twice 15.7, 284 twice 142.
double rounding_of(double printed) {
  double unit = 1e7;
  while (std::abs(std::remainder(printed, 10 * unit)) < 1) unit *= 10;
  constexpr double of_doubling = 0.0025;
  return std::max(unit / 2, of_doubling * printed);
}

std::string name_of(const TheoreticalPeak& peak) { return peak.name + " " + std::string(to_string(*peak.dtype)); }

/// What does not come out, by device: the note of each says by how much.
const std::map<std::string, std::set<std::string>>& exceptions() {
  static const std::map<std::string, std::set<std::string>> known{
      {"A30", {"matrix tf32"}},
      {"L40S", {"matrix fp16", "matrix bf16", "matrix int4"}},
      {"B200 (HGX)", {"vector fp32"}},
      {"RTX PRO 6000 Blackwell Workstation", {"vector fp32", "vector fp16"}},
      {"Instinct MI50", {"vector fp32"}}};
  return known;
}

/// Of these no units, or no clock of one kind of unit, is printed: what can be checked is that all peaks of a kind of
/// unit want the same clock.
const std::set<std::string>& without_clock() {
  static const std::set<std::string> known{"H100 NVL 94GB",   "H200 NVL 141GB",   "B100",
                                           "B200 (HGX)",      "GB200 (per GPU)",  "B300 (HGX)",
                                           "GB300 (per GPU)", "GB10 (DGX Spark)", "Gaudi 3 (OAM)"};
  return known;
}

constexpr std::string_view formula = "units x rate x clock";

TEST(CataloguePeaks, EveryOneHasARate) {
  for (const Device& device : devices()) {
    for (const TheoreticalPeak& peak : device.peaks)
      EXPECT_GT(rate_of(device, peak), 0) << device.name << " " << device.isa << " " << name_of(peak);
  }
}

TEST(CataloguePeaks, AreUnitsTimesRateTimesClock) {
  int compared = 0;
  for (const Device& device : devices()) {
    std::set<std::string> wrong;
    for (const TheoreticalPeak& peak : device.peaks) {
      const auto clock = at_vector_clock(device, peak) ? device.clock_hz : device.matrix_clock_hz;
      if (!clock || !device.compute_units) {
        EXPECT_TRUE(without_clock().contains(device.name)) << device.name << " has no clock for " << name_of(peak);
        continue;
      }
      const double computed = *device.compute_units * rate_of(device, peak) * *clock;
      if (std::abs(computed - peak.value) > rounding_of(peak.value)) wrong.insert(name_of(peak));
      ++compared;
    }
    const auto listed = exceptions().find(device.name);
    EXPECT_EQ(wrong, listed == exceptions().end() ? std::set<std::string>{} : listed->second) << device.name;
  }
  EXPECT_GE(compared, 400);
}

/// The clock times the units that every printed peak of a kind of unit allows, as far as it is rounded.
TEST(CataloguePeaks, WithoutAClockAllWantTheSame) {
  for (const std::string& name : without_clock()) {
    const Device& device = find_device(name);
    for (const bool vector_clock : {true, false}) {
      double least = 0, most = 1e300;
      for (const TheoreticalPeak& peak : device.peaks) {
        if (at_vector_clock(device, peak) != vector_clock) continue;
        least = std::max(least, (peak.value - rounding_of(peak.value)) / rate_of(device, peak));
        most = std::min(most, (peak.value + rounding_of(peak.value)) / rate_of(device, peak));
      }
      EXPECT_LE(least, most) << name << (vector_clock ? ", vector" : ", matrix");
    }
  }
}

/// Nobody has to read this test to learn that a figure is in doubt.
TEST(CataloguePeaks, WhatDoesNotComeOutIsSaidInTheNote) {
  for (const auto& [name, peaks] : exceptions())
    EXPECT_NE(find_device(name).note.find(formula), std::string::npos) << name;
  for (const std::string& name : without_clock())
    EXPECT_NE(find_device(name).note.find(formula), std::string::npos) << name;
}

/// AMD's product page: 500 W of thermal design power, 560 W at the peak. One of the two chips has half.
TEST(CataloguePeaks, PowerOfMi250IsTheDesignPower) {
  EXPECT_EQ(find_device("Instinct MI250 (whole OAM, 2 GCDs)").tdp_w, 500);
  EXPECT_EQ(find_device("Instinct MI250X (whole OAM, 2 GCDs)").tdp_w, 500);
  EXPECT_EQ(find_device("Instinct MI250X (per GCD)").tdp_w, 250);
}

/// Cores x rate x clock, of processors whose makers print a peak: A64FX 2.7648 Tflop/s in fp64 at 1.8 GHz (Fujitsu),
/// two Grace dies 7.1 at 3.1 GHz (NVIDIA).
TEST(CataloguePeaks, OfProcessors) {
  EXPECT_NEAR(48 * cpu_rate("A64FX", DType::fp64, Unit::vector)->per_cycle * 1.8e9, 2.7648e12, 1e6);
  EXPECT_NEAR(144 * cpu_rate("Neoverse V2", DType::fp64, Unit::vector)->per_cycle * 3.1e9, 7.1e12, 0.05e12);
}

/// A narrower type has no lower rate on the same unit, and a matrix unit none below the vector unit's.
TEST(CataloguePeaks, OfProcessorsGrowWithNarrowerTypes) {
  for (const Cpu& cpu : cpus()) {
    const auto fp64 = cpu_rate(cpu.name, DType::fp64, Unit::vector),
               fp32 = cpu_rate(cpu.name, DType::fp32, Unit::vector);
    ASSERT_TRUE(fp64 && fp32) << cpu.name;
    EXPECT_EQ(fp32->per_cycle, 2 * fp64->per_cycle) << cpu.name;
    for (const CpuRate& rate : cpu.rates) {
      const auto vector = cpu_rate(cpu.name, rate.dtype, Unit::vector);
      if (rate.unit == Unit::matrix && vector) {
        EXPECT_GE(rate.per_cycle, vector->per_cycle) << cpu.name;
      }
    }
  }
}

}  // namespace
}  // namespace gable::catalogue
