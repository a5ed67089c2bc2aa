#pragma once
#include <span>
#include <string>
#include <string_view>

namespace gable {

/// Name of an x86 microarchitecture as the catalogue uses it ("Zen 3", "Ice Lake-SP"), from the CPUID vendor string
/// ("GenuineIntel", "AuthenticAMD"), the display family and model (extended fields added), and the flags as Linux names
/// them
/// ("avx512_vnni", "avx512_bf16"), which tell apart cores that share a model number. Empty where it is not sure.
/// Sources: Intel SDM volume 4, table 2-1; AMD processor programming references.
std::string microarchitecture(std::string_view vendor, int family, int model, std::span<const std::string> flags = {});

/// The same for Arm, from the MIDR implementer (0x41 Arm, 0x46 Fujitsu) and part number (0xd0c Neoverse N1).
/// Sources: the cores' technical reference manuals, MIDR_EL1.
std::string arm_microarchitecture(int implementer, int part);

}  // namespace gable
