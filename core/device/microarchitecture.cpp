#include "core/device/microarchitecture.hpp"

#include <algorithm>

namespace gable {
namespace {

std::string amd(int family, int model) {
  if (family == 0x17) {
    const bool zen1 = model < 0x30 && model != 0x08 && model != 0x18;
    if (model == 0x08 || model == 0x18) return "Zen+";
    return zen1 ? "Zen" : "Zen 2";
  }
  if (family == 0x19) {
    const bool zen4 = (model >= 0x10 && model <= 0x1f) || (model >= 0x60 && model <= 0x7f) || model >= 0xa0;
    return zen4 ? "Zen 4" : "Zen 3";
  }
  return family == 0x1a ? "Zen 5" : "";
}

std::string intel(int model, std::span<const std::string> flags) {
  const auto has = [&](std::string_view flag) { return std::ranges::find(flags, flag) != flags.end(); };
  switch (model) {
    case 0x55:
      if (has("avx512_bf16")) return "Cooper Lake";
      return has("avx512_vnni") ? "Cascade Lake-SP" : "Skylake-SP";
    case 0x6a:
    case 0x6c:
      return "Ice Lake-SP";
    case 0x8f:
      return "Sapphire Rapids";
    case 0xcf:
      return "Emerald Rapids";
    case 0xad:
    case 0xae:
      return "Granite Rapids";
    case 0x3f:
      return "Haswell-EP";
    case 0x4f:
    case 0x56:
      return "Broadwell-EP";
    case 0x4e:
    case 0x5e:
      return "Skylake";
    case 0x7d:
    case 0x7e:
      return "Ice Lake";
    case 0x8c:
    case 0x8d:
      return "Tiger Lake";
    case 0x97:
    case 0x9a:
      return "Alder Lake";
    case 0xb7:
    case 0xba:
    case 0xbf:
      return "Raptor Lake";
    default:
      return "";
  }
}

}  // namespace

std::string microarchitecture(std::string_view vendor, int family, int model, std::span<const std::string> flags) {
  if (vendor == "AuthenticAMD") return amd(family, model);
  if (vendor == "GenuineIntel" && family == 6) return intel(model, flags);
  return "";
}

std::string arm_microarchitecture(int implementer, int part) {
  if (implementer == 0x46 && part == 0x001) return "A64FX";
  if (implementer != 0x41) return "";
  switch (part) {
    case 0xd0c:
      return "Neoverse N1";
    case 0xd40:
      return "Neoverse V1";
    case 0xd49:
      return "Neoverse N2";
    case 0xd4f:
      return "Neoverse V2";
    default:
      return "";
  }
}

}  // namespace gable
