#include "core/device/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/model/roofline.hpp"
#include "tests/unit/device/cpu_rate.hpp"
#include "tests/unit/error_of.hpp"

using namespace gable;
using namespace gable::catalogue;

namespace {
double dense(const char* device, DType dtype, Unit unit, std::optional<DType> accumulate = {}) {
  const TheoreticalPeak* entry = peak(find_device(device), dtype, unit, accumulate);
  return entry ? entry->value : 0;
}
std::string message(std::string_view name) {
  return error_of([&] { find_device(name); });
}
}  // namespace

/// Other tools spell names in their own way: only what is surely another device is.
TEST(Catalogue, NamesOfOtherToolsAreComparedWithCare) {
  DeviceInfo h200, intel;
  h200.backend = "cuda";
  h200.name = "NVIDIA H200";
  h200.isa = {"sm_90"};
  intel.backend = "openmp";
  intel.vendor = "GenuineIntel";
  intel.microarchitecture = "Cascade Lake-SP";
  intel.isa = {"avx2"};
  for (const char* same : {"", "sm_90", "NVIDIA H200 SXM5", "Graphics Device"})
    EXPECT_FALSE(is_other(same, h200)) << same;
  for (const char* other : {"sm_80", "gfx942", "Tesla V100-SXM2-16GB", "Intel Cascadelake SP processor"})
    EXPECT_TRUE(is_other(other, h200)) << other;
  for (const char* same :
       {"Intel Cascadelake SP processor", "Intel Skylake SP processor", "Intel Broadwell EP processor"})
    EXPECT_FALSE(is_other(same, intel)) << same;
  for (const char* other : {"sm_90", "AMD K17 (Zen2) architecture", "AMD K8 architecture"})
    EXPECT_TRUE(is_other(other, intel)) << other;
  EXPECT_FALSE(is_other("sm_80", DeviceInfo{})) << "of a bare id nothing is known";
}

TEST(Catalogue, DensePeaksNotSparseOnes) {
  EXPECT_NEAR(dense("H100 SXM5 80GB", DType::bf16, Unit::matrix), 989e12, 0.5e12);
  EXPECT_NEAR(dense("H100 SXM5 80GB", DType::fp16, Unit::matrix), 989e12, 0.5e12);
  EXPECT_NEAR(dense("H100 SXM5 80GB", DType::fp8_e4m3, Unit::matrix), 1979e12, 0.5e12);
  EXPECT_EQ(dense("A100 SXM4 80GB", DType::fp16, Unit::matrix), 312e12);
  EXPECT_EQ(dense("A100 SXM4 80GB", DType::fp64, Unit::vector), 9.7e12);
  EXPECT_NEAR(dense("H200 SXM 141GB", DType::bf16, Unit::matrix), 989e12, 0.5e12);
}

TEST(Catalogue, MemoryBandwidth) {
  EXPECT_EQ(find_device("H200 SXM 141GB").memory_byte_per_s, 4.8e12);
  EXPECT_EQ(find_device("A100 SXM4 80GB").memory_byte_per_s, 2039e9);
  EXPECT_EQ(find_device("A100 SXM4 40GB").memory_byte_per_s, 1555e9);
  EXPECT_EQ(find_device("A100 PCIe 80GB").memory_byte_per_s, 1935e9);
}

TEST(Catalogue, HalvedRateOfGeForceKeepsItsAccumulateType) {
  const double with_fp16 = dense("GeForce RTX 4090", DType::fp16, Unit::matrix, DType::fp16);
  const double with_fp32 = dense("GeForce RTX 4090", DType::fp16, Unit::matrix, DType::fp32);
  EXPECT_GT(with_fp32, 0);
  EXPECT_NEAR(with_fp16 / with_fp32, 2, 0.01);
  EXPECT_NE(find_device("GeForce RTX 4090").note.find("half the rate"), std::string::npos);
}

TEST(Catalogue, Fp8KindFollowsTheHardware) {
  EXPECT_EQ(dense("Instinct MI300X", DType::fp8_e4m3fnuz, Unit::matrix), 2614.9e12);
  EXPECT_EQ(dense("Instinct MI300X", DType::fp8_e4m3, Unit::matrix), 0);
  EXPECT_EQ(dense("Instinct MI355X", DType::fp8_e4m3, Unit::matrix), 5033.2e12);
}

/// NVIDIA multiplies four bits at the printed rate in block-scaled form only and calls that NVFP4, AMD prints MXFP4 and
/// MXFP6.
TEST(Catalogue, NarrowFloatsOfBlackwellAndCdna4) {
  EXPECT_EQ(dense("B200 (HGX)", DType::nvfp4, Unit::matrix), 9000e12);
  EXPECT_EQ(dense("GeForce RTX 5080", DType::nvfp4, Unit::matrix), 1801e12 / 2);  // of 1801 sparse AI TOPS
  EXPECT_EQ(dense("B200 (HGX)", DType::mxfp4, Unit::matrix), 0);
  EXPECT_EQ(dense("B200 (HGX)", DType::fp6_e2m3, Unit::matrix), 4500e12);
  EXPECT_EQ(dense("B200 (HGX)", DType::fp6_e3m2, Unit::matrix), 4500e12);
  EXPECT_EQ(dense("GB200 (per GPU)", DType::nvfp4, Unit::matrix), 10000e12);
  EXPECT_EQ(dense("B300 (HGX)", DType::nvfp4, Unit::matrix), 14000e12);
  EXPECT_EQ(dense("Instinct MI355X", DType::mxfp4, Unit::matrix), 10066.3e12);
  EXPECT_EQ(dense("Instinct MI355X", DType::mxfp6_e2m3, Unit::matrix), 10066.3e12);
  EXPECT_EQ(dense("Instinct MI300X", DType::mxfp4, Unit::matrix), 0);
  EXPECT_EQ(dense("H200 SXM 141GB", DType::nvfp4, Unit::matrix), 0);
}

TEST(Catalogue, NamesIgnoreCaseAndAcceptAUniquePart) {
  EXPECT_EQ(find_device("h200 sxm").name, "H200 SXM 141GB");
  EXPECT_EQ(find_device("mi300x").name, "Instinct MI300X");
  EXPECT_EQ(find_device("l4").name, "L4");  // exact, although L40S contains it
}

/// A whole word counts before a part of one, and the last words of a name before words with others behind them.
TEST(Catalogue, ExactWordsWinOverPartsOfOthers) {
  EXPECT_EQ(find_device("B200").name, "B200 (HGX)");
  EXPECT_EQ(find_device("b300").name, "B300 (HGX)");
  EXPECT_EQ(find_device("RTX 5070").name, "GeForce RTX 5070");
  EXPECT_EQ(find_device("9070 XT").name, "Radeon RX 9070 XT");
  EXPECT_EQ(message("H200").find("GH200"), std::string::npos) << message("H200");
  EXPECT_NE(message("H200").find("H200 SXM 141GB, H200 NVL 141GB"), std::string::npos) << message("H200");
}

/// nvidia-smi and rocm-smi: 81559 MiB, 143771 MiB, 81920 MiB, 206141652992 byte.
TEST(Catalogue, CapacitiesAreThoseOfDrivers) {
  EXPECT_NEAR(find_device("H100 SXM5 80GB").memory_byte, 85.52e9, 0.005e9);
  EXPECT_NEAR(find_device("H200 SXM 141GB").memory_byte, 150.75e9, 0.005e9);
  EXPECT_NEAR(find_device("A100 SXM4 80GB").memory_byte, 85.90e9, 0.005e9);
  EXPECT_NEAR(find_device("MI300X").memory_byte, 206.14e9, 0.005e9);
}

/// A bridge joins two cards, and the two chips of an MI250X have links to each other only.
/// "github.com/… (81559 MiB)", or the capacity is one of the weak figures.
TEST(Catalogue, EachCapacityHasItsPageOrIsUnconfirmed) {
  for (const auto& device : devices()) {
    const auto weak = [](const std::string& one) { return one.starts_with("memory_byte ("); };
    const std::string mebibytes = std::to_string(std::llround(device.memory_byte / 0x1p20)) + " MiB)";
    EXPECT_TRUE(device.source.find(mebibytes) != std::string::npos || std::ranges::any_of(device.unconfirmed, weak))
        << device.name << ": " << device.source;
  }
}

TEST(Catalogue, LinksJoinAsManyDevicesAsTheyReach) {
  for (const char* name : {"A30", "A40", "A100 PCIe 40GB", "MI250X (per GCD)", "MI250 (per GCD)"})
    EXPECT_EQ(find_device(name).linked_devices, 2) << name;
  EXPECT_EQ(find_device("MI300A").links, 3);
  EXPECT_EQ(find_device("MI300A").link_byte_per_s, 768e9);
}

TEST(Catalogue, AmbiguousAndUnknownNamesListTheCandidates) {
  const std::string several = message("A100");
  EXPECT_NE(several.find("ambiguous"), std::string::npos);
  EXPECT_NE(several.find("A100 PCIe 80GB"), std::string::npos);
  EXPECT_EQ(several.find("H100"), std::string::npos);
  EXPECT_NE(message("H900").find("near it are H100 SXM5 80GB"), std::string::npos) << "one letter is wrong";
  EXPECT_NE(message("a100 SXN4").find("A100 SXM4 40GB"), std::string::npos);
  EXPECT_EQ(message("a100 SXN4").find("PCIe"), std::string::npos);
  EXPECT_NE(message("Cray-1").find("gable devices --catalogue lists"), std::string::npos);
  for (const Device& device : devices())
    EXPECT_EQ(message("cpu.jsn").find(device.name), std::string::npos) << "no list of all there are";
  EXPECT_NE(message(""), "");
}

TEST(Catalogue, EveryFigureHasASourceAndAConfidence) {
  const auto known = [](Confidence confidence) { return confidence != Confidence::stated; };
  EXPECT_EQ(devices().size(), 56U);
  std::set<std::string> names;
  for (const Device& device : devices()) {
    EXPECT_TRUE(names.insert(device.name).second) << device.name;
    EXPECT_TRUE(known(device.confidence) && !device.source.empty()) << device.name;
    EXPECT_GT(device.memory_byte_per_s, 1e11) << device.name;
    EXPECT_FALSE(device.peaks.empty()) << device.name;
    for (const TheoreticalPeak& entry : device.peaks) {
      EXPECT_TRUE(known(entry.confidence) && !entry.source.empty()) << device.name;
      EXPECT_GT(entry.value, 1e11) << device.name;
      EXPECT_TRUE(entry.accumulate && parse_unit(entry.name)) << device.name;
    }
  }
  for (const Cpu& cpu : cpus()) {
    for (const CpuRate& rate : cpu.rates) EXPECT_TRUE(known(rate.confidence) && !rate.source.empty()) << cpu.name;
    for (const Processor& processor : cpu.processors) {
      EXPECT_TRUE(known(processor.confidence) && !processor.source.empty()) << processor.name;
    }
  }
}

TEST(CpuRate, PerCoreAndCycle) {
  EXPECT_EQ(cpu_rate("Zen 3", DType::fp64, Unit::vector)->per_cycle, 16);
  EXPECT_EQ(cpu_rate("Zen 3", DType::fp32, Unit::vector)->per_cycle, 32);
  EXPECT_EQ(cpu_rate("Zen 5", DType::fp64, Unit::vector)->per_cycle, 32);
  EXPECT_EQ(cpu_rate("Skylake-SP", DType::fp64, Unit::vector)->per_cycle, 32);
  EXPECT_EQ(cpu_rate("Skylake-SP (one AVX-512 FMA unit)", DType::fp64, Unit::vector)->per_cycle, 16);
  EXPECT_EQ(cpu_rate("Sapphire Rapids", DType::bf16, Unit::matrix)->per_cycle, 1024);
  EXPECT_EQ(cpu_rate("Emerald Rapids", DType::fp64, Unit::vector)->per_cycle, 32);
  for (const char* name : {"Sapphire Rapids", "Emerald Rapids", "Granite Rapids"}) {
    EXPECT_EQ(cpu_rate(name, DType::bf16, Unit::vector)->per_cycle, 64 / 2) << name;  // vdpbf16ps every other cycle
  }
  EXPECT_EQ(cpu_rate("A64FX", DType::fp64, Unit::vector)->per_cycle, 32);
}

TEST(CpuRate, UnknownIsNothing) {
  EXPECT_FALSE(cpu_rate("Zen 3", DType::bf16, Unit::matrix));
  EXPECT_FALSE(cpu_rate("", DType::fp64, Unit::vector));
  EXPECT_FALSE(cpu_rate("Pentium", DType::fp64, Unit::vector));
}

namespace {

/// What add() says of a text, or nothing where it takes it.
std::string refusal(const std::string& text) {
  return error_of([&] { add(text, "mine.json"); });
}

/// One device with one peak, and what is put in instead of parts of it.
std::string device_file(const std::string& name, const std::string& peak, const std::string& more = "") {
  return R"({"devices": [{"name": ")" + name + R"(", "memory_type": "HBM9", "memory_byte": 1e12,)" +
         R"("memory_byte_per_s": 2e13, "source": "our tender", "peaks": [)" + peak + "]" + more + "}]}";
}

constexpr const char* good_peak = R"({"dtype": "bf16", "unit": "matrix", "peak_flop_per_s": 4e15})";

}  // namespace

TEST(UsersDevices, AreAddedToTheCatalogue) {
  const auto before = devices().size();
  ASSERT_EQ(refusal(device_file("Tender X1", good_peak)), "");
  EXPECT_EQ(devices().size(), before + 1);
  const Device& device = find_device("tender x1");
  EXPECT_EQ(device.memory_byte_per_s, 2e13);
  const TheoreticalPeak* found = peak(device, DType::bf16, Unit::matrix);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value, 4e15);
  EXPECT_EQ(found->source, "our tender");
  EXPECT_EQ(found->confidence, Confidence::stated);
  EXPECT_EQ(find_device("H200 SXM 141GB").memory_byte_per_s, 4.8e12) << "those compiled in stay";
}

TEST(UsersDevices, WhatIsWrongIsNamedWithItsPlaceAndNothingIsAdded) {
  const auto before = devices().size();
  const auto says = [&](const std::string& text, const std::string& line) {
    EXPECT_EQ(refusal(text).find("mine.json: " + line), 0U) << refusal(text);
    EXPECT_EQ(refusal(text).find('\n'), std::string::npos);
  };
  says(device_file("h200 sxm 141gb", good_peak), "'h200 sxm 141gb' is known already");
  says(device_file("A", R"({"dtype": "bf17", "unit": "matrix", "peak_flop_per_s": 4e15})"),
       "/devices/0/peaks/0: type 'bf17'");
  says(device_file("A", R"({"dtype": "bf16", "unit": "tensor", "peak_flop_per_s": 4e15})"),
       "/devices/0/peaks/0/unit: 'tensor'");
  says(device_file("A", R"({"dtype": "int8", "unit": "matrix", "peak_flop_per_s": 4e15})"),
       "/devices/0/peaks/0: this type needs peak_op_per_s");
  says(device_file("A", R"({"dtype": "bf16", "unit": "matrix", "peak_flop_per_s": 0})"),
       "/devices/0/peaks/0: peak_flop_per_s must be positive");
  says(device_file("A", R"({"dtype": "bf16", "unit": "matrix", "peak_flop_per_s": -1})"),
       "/devices/0/peaks/0/peak_flop_per_s: the number must not be negative");
  // 460.8 GB/s, 4 Pflop/s and 1.41 GHz written without their prefix; then what no machine has
  const auto with = [](const std::string& figure) {
    std::string text = device_file("A", good_peak);
    return text.replace(text.find("2e13"), 4, figure);
  };
  says(with("460.8"), "/devices/0: memory_byte_per_s is 460.8, and no device has less than 1e+06: figures are in byte");
  says(with("8e300"), "/devices/0: memory_byte_per_s is 8e+300: a bandwidth");
  says(device_file("A", R"({"dtype": "bf16", "unit": "matrix", "peak_flop_per_s": 4000})"),
       "/devices/0/peaks/0: peak_flop_per_s is 4000, and no device has less");
  says(device_file("A", R"({"dtype": "bf16", "unit": "matrix", "peak_flop_per_s": 8e300})"),
       "/devices/0/peaks/0: peak_flop_per_s is 8e+300: a rate of arithmetic");
  says(device_file("A", good_peak, R"(, "clock_hz": 1410)"), "/devices/0: clock_hz is 1410, and no device has less");
  says(device_file("A", good_peak, R"(, "l2_byte": 1e30)"), "/devices/0: l2_byte is 1e+30: a size");
  says(device_file("A", good_peak, R"(, "tdp_w": 1e20)"), "/devices/0: tdp_w is 1e+20: a power");
  says(device_file("A", good_peak, R"(, "tdp": 700)"), "/devices/0: unknown key 'tdp'; known: name, vendor");
  says(R"({"devices": [{"name": "A"}]})", "/devices/0: key 'memory_type' is missing");
  says(R"({"devices": [{"name": 3}]})", "/devices/0/name: expected a string");
  says(R"({"about": "nothing"})", "there are no devices and no cpus in it");
  const std::string entry = device_file("A", good_peak);
  const std::string one = entry.substr(13, entry.size() - 15);
  std::string other = one;
  other.replace(other.find("\"A\""), 3, "\"a\"");
  says(R"({"devices": [)" + one + "," + other + "]}", "/devices/1: 'a' is there twice");
  says(device_file("A", R"({"dtype": "bf16", "unit": "exp", "peak_flop_per_s": 4e15})"),
       "/devices/0/peaks/0: unit 'exp' is neither vector nor matrix");
  says(device_file("A", std::string(good_peak) + R"(, {"dtype": "bf16", "unit": "matrix", "accumulate": "fp32",
                        "peak_flop_per_s": 9e15})"),
       "/devices/0/peaks/1: a bf16 matrix peak of the same types is there already, 0");
  says(device_file("A", ""), "/devices/0/peaks: there are no peaks in it");
  says(device_file("A", good_peak, R"(, "link_byte_per_s": 0)"), "/devices/0: link_byte_per_s must be positive");
  says(device_file("A", good_peak, R"(, "compute_units": 0)"), "/devices/0: compute_units must be positive");
  says(device_file("A", good_peak, R"(, "linked_devices": 1)"), "/devices/0: linked_devices must be at least 2");
  says(device_file("A", good_peak, R"(, "links": 2, "linked_devices": 4)"),
       "/devices/0: 2 links, each to one other device, join at most 3: linked_devices is 4");
  says(device_file("A", good_peak, R"(, "confidence": "banana")"), "/devices/0/confidence: 'banana' is not known here");
  says(device_file("A", R"({"dtype": "bf16", "unit": "matrix", "peak_flop_per_s": 4e15, "confidence": "banana"})"),
       "/devices/0/peaks/0/confidence: 'banana'");
  EXPECT_NE(refusal("{"), "");
  EXPECT_EQ(devices().size(), before);
}

namespace {

constexpr const char* good_rate =
    R"({"dtype": "fp64", "unit": "vector", "flop_per_cycle": 64, "isa": "SVE", "source": "our tender"})";
constexpr const char* good_processor =
    R"({"name": "Tender P1", "cores": 10, "memory_channels": 12, "memory_type": "DDR5-8000", "clock_hz": 3e9,
        "memory_byte_per_s": 768e9, "source": "our tender"})";

std::string cpu_file(const std::string& name, const std::string& rates, const std::string& processors) {
  return R"({"cpus": [{"name": ")" + name + R"(", "rates": [)" + rates + R"(], "processors": [)" + processors + "]}]}";
}

}  // namespace

TEST(UsersCpus, AreAddedToTheCatalogue) {
  ASSERT_EQ(refusal(cpu_file("Tender Core", good_rate, good_processor)), "");
  const Cpu& cpu = cpus().back();
  EXPECT_EQ(cpu.name, "Tender Core");
  EXPECT_TRUE(cpu.by_user);
  EXPECT_FALSE(cpus().front().by_user);
  EXPECT_EQ(cpu.rates.at(0).per_cycle, 64);
  EXPECT_EQ(cpu.rates.at(0).confidence, Confidence::stated);
  EXPECT_EQ(cpu.processors.at(0).clock_hz, 3e9);
  EXPECT_EQ(cpu.processors.at(0).memory_channels, 12);
  EXPECT_EQ(refusal(R"({"cpus": [{"name": "Rates alone", "rates": [)" + std::string(good_rate) + "]}]}"), "");
  EXPECT_EQ(refusal(cpu_file("Processors alone", "", good_processor)), "");
}

TEST(UsersCpus, WhatIsWrongIsNamedWithItsPlaceAndNothingIsAdded) {
  const auto before = cpus().size();
  const auto says = [&](const std::string& text, const std::string& line) {
    EXPECT_EQ(refusal(text).find("mine.json: " + line), 0U) << refusal(text);
    EXPECT_EQ(refusal(text).find('\n'), std::string::npos);
  };
  const auto rate = [](const std::string& dtype, const std::string& unit, const std::string& figure) {
    return R"({"dtype": ")" + dtype + R"(", "unit": ")" + unit + R"(", "isa": "SVE", "source": "s", )" + figure + "}";
  };
  const auto processor = [](const std::string& more) {
    return R"({"name": "P", "memory_type": "DDR5-6400", "source": "s", )" + more + "}";
  };
  says(cpu_file("zen 4", good_rate, ""), "'zen 4' is known already");
  says(cpu_file("A", "", ""), "/cpus/0: it has neither rates nor processors");
  says(R"({"cpus": [{"name": "A"}]})", "/cpus/0: it has neither rates nor processors");
  says(cpu_file("", good_rate, ""), "/cpus/0: the name is empty");
  says(cpu_file("A", rate("fp64", "vector", R"("op_per_cycle": 8)"), ""),
       "/cpus/0/rates/0: this type needs flop_per_cycle");
  says(cpu_file("A", rate("int8", "vector", R"("flop_per_cycle": 8)"), ""),
       "/cpus/0/rates/0: this type needs op_per_cycle");
  says(cpu_file("A", rate("fp64", "vector", R"("flop_per_cycle": 0)"), ""),
       "/cpus/0/rates/0: flop_per_cycle must be positive");
  says(cpu_file("A", rate("fp64", "vector", R"("flop_per_cycle": 8e300)"), ""),
       "/cpus/0/rates/0: flop_per_cycle is 8e+300: no core");
  says(cpu_file("A", "", processor(R"("memory_byte_per_s": 460.8)")),
       "/cpus/0/processors/0: memory_byte_per_s is 460.8, and no device has less");
  says(cpu_file("A", rate("fp63", "vector", R"("flop_per_cycle": 8)"), ""), "/cpus/0/rates/0/dtype: 'fp63'");
  says(cpu_file("A", rate("fp64", "exp", R"("flop_per_cycle": 8)"), ""),
       "/cpus/0/rates/0: unit 'exp' is neither vector nor matrix");
  says(cpu_file("A", rate("fp64", "vector", R"("flop_per_cycle": 8, "confidence": "banana")"), ""),
       "/cpus/0/rates/0/confidence: 'banana'");
  says(cpu_file("A", std::string(good_rate) + "," + good_rate, ""),
       "/cpus/0/rates/1: a fp64 vector rate is there already");
  says(cpu_file("A", "", processor(R"("memory_byte_per_s": 0)")),
       "/cpus/0/processors/0: memory_byte_per_s must be positive");
  says(cpu_file("A", "", processor(R"("memory_byte_per_s": 1e11, "cores": 0)")),
       "/cpus/0/processors/0: cores must be positive");
  says(cpu_file("A", "", processor(R"("memory_byte_per_s": 1e11, "clock_hz": 0)")),
       "/cpus/0/processors/0: clock_hz must be positive");
  says(cpu_file("A", "", processor(R"("memory_byte_per_s": 576e9, "memory_channels": 12)")),
       "/cpus/0/processors/0: 12 channels of DDR5-6400 have 614.4 GB/s, not 576.0");
  says(cpu_file("A", "", processor(R"("memory_byte_per_s": 1e11, "sockets": 2)")),
       "/cpus/0/processors/0: unknown key 'sockets'; known: name, cores");
  says(cpu_file("A", "", R"({"name": "P"})"), "/cpus/0/processors/0: key 'memory_type' is missing");
  std::string mixed = device_file("New device", good_peak);
  mixed.insert(mixed.size() - 1, R"(, "cpus": [{"name": "Zen 4", "rates": [)" + std::string(good_rate) + "]}]");
  says(mixed, "'Zen 4' is known already");
  EXPECT_EQ(cpus().size(), before);
  EXPECT_THROW(find_device("New device"), Error) << "all of a file or nothing";
}
