#include "core/device/datasheet_peaks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using gable::arm_microarchitecture;
using gable::microarchitecture;

TEST(Microarchitecture, Amd) {
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x17, 0x01), "Zen");               // EPYC 7601
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x17, 0x31), "Zen 2");             // EPYC 7742
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x19, 0x01), "Zen 3");             // EPYC 7763
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x19, 0x21), "Zen 3");             // Ryzen 5950X
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x19, 0x11), "Zen 4");             // EPYC 9654
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x19, 0x61), "Zen 4");             // Ryzen 7950X
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x19, 0x90), "Zen 4");             // MI300A
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x19, 0xa0), "Zen 4");             // EPYC 9754
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x1a, 0x02), "Zen 5");             // EPYC 9755
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x1a, 0x24), "Zen 5 (256 bits)");  // Ryzen AI 9 HX 370
}

TEST(Microarchitecture, IntelServersOfOneModelDifferByFlags) {
  const std::vector<std::string> cascade{"avx512f", "avx512_vnni"};
  const std::vector<std::string> cooper{"avx512f", "avx512_vnni", "avx512_bf16"};
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 0x55), "Skylake-SP");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 0x55, cascade), "Cascade Lake-SP");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 0x55, cooper), "Cooper Lake");
}

TEST(Microarchitecture, XeonsWithOneAvx512FmaUnitAreOthers) {
  const auto skylake = [](const char* name) { return microarchitecture("GenuineIntel", 6, 0x55, {}, name); };
  EXPECT_EQ(skylake("Intel(R) Xeon(R) Silver 4108 CPU @ 1.80GHz"), "Skylake-SP (one AVX-512 FMA unit)");
  EXPECT_EQ(skylake("Intel(R) Xeon(R) Gold 5118 CPU @ 2.30GHz"), "Skylake-SP (one AVX-512 FMA unit)");
  EXPECT_EQ(skylake("Intel(R) Xeon(R) Gold 5122 CPU @ 3.60GHz"), "Skylake-SP");
  EXPECT_EQ(skylake("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz"), "Skylake-SP");
  EXPECT_EQ(skylake("Intel(R) Xeon(R) D-2146NT CPU @ 2.30GHz"), "Skylake-D");
}

TEST(Microarchitecture, Intel) {
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 0x6a), "Ice Lake-SP");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 0x8f), "Sapphire Rapids");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 0xcf), "Emerald Rapids");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 0xad), "Granite Rapids");
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 0x97), "Alder Lake");
}

TEST(Microarchitecture, Arm) {
  EXPECT_EQ(arm_microarchitecture(0x41, 0xd0c), "Neoverse N1");
  EXPECT_EQ(arm_microarchitecture(0x41, 0xd40), "Neoverse V1");
  EXPECT_EQ(arm_microarchitecture(0x41, 0xd49), "Neoverse N2");
  EXPECT_EQ(arm_microarchitecture(0x41, 0xd4f), "Neoverse V2");
  EXPECT_EQ(arm_microarchitecture(0x46, 0x001), "A64FX");
}

TEST(Microarchitecture, WhatIsNotSureHasNoName) {
  EXPECT_EQ(microarchitecture("GenuineIntel", 6, 0x01), "");
  EXPECT_EQ(microarchitecture("GenuineIntel", 15, 0x55), "");
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x10, 0x02), "");
  EXPECT_EQ(microarchitecture("AuthenticAMD", 0x1a, 0x50), "");  // Zen 6
  EXPECT_EQ(microarchitecture("CentaurHauls", 6, 0x55), "");
  EXPECT_EQ(arm_microarchitecture(0x61, 0xd0c), "");
}
