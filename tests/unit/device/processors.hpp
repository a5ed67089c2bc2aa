#pragma once
#include <sstream>
#include <string>
#include <vector>

namespace gable {

/// A processor, as Linux shows it, and the CPU target that is best for it. Flags: those of /proc/cpuinfo that any
/// target asks for, and some that none does.
struct Processor {
  const char* name;
  const char* flags;
  const char* best;
};

inline constexpr const char* of_v3 =
    "sse sse2 pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand lahf_lm abm bmi1 avx2 bmi2 ";
inline constexpr const char* of_v4 = "avx512f avx512dq avx512cd avx512bw avx512vl ";

inline const std::vector<Processor>& processors() {
  static const std::string v3 = of_v3, v4 = v3 + of_v4;
  static const std::string haswell = v3 + "invpcid erms", zen3 = v3 + "sha_ni vaes vpclmulqdq clzero",
                           alder_lake = v3 + "avx_vnni gfni vaes vpclmulqdq serialize",
                           knights_landing = v3 + "avx512f avx512pf avx512er avx512cd", skylake = v4 + "clwb ospke",
                           cascade_lake = v4 + "avx512_vnni",
                           ice_lake = v4 + "avx512ifma avx512vbmi avx512_vbmi2 gfni avx512_vnni avx512_bitalg",
                           cooper_lake = v4 + "avx512_vnni avx512_bf16",
                           zen4 = v4 + "avx512ifma avx512_bf16 avx512vbmi avx512_vbmi2 gfni avx512_vnni avx512_bitalg",
                           sapphire = v4 + "avx_vnni avx512_bf16 avx512_vnni amx_bf16 avx512_fp16 amx_tile amx_int8",
                           emerald = v4 + "avx_vnni avx512_bf16 avx512_vnni avx512_fp16";
  static const std::vector<Processor> list{
      {"Opteron 246", "sse sse2 syscall nx mmxext lm 3dnow", "baseline"},
      {"Xeon X5570 (Nehalem)", "sse sse2 pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm", "x86-64-v2"},
      {"Xeon E5-2680 (Sandy Bridge)", "sse sse2 pni ssse3 cx16 sse4_1 sse4_2 popcnt aes xsave avx", "x86-64-v2"},
      {"Pentium Gold G5400", "sse sse2 pni ssse3 cx16 sse4_1 sse4_2 movbe popcnt rdrand abm", "x86-64-v2"},
      {"Xeon E5-2680 v3 (Haswell)", haswell.c_str(), "x86-64-v3"},
      {"EPYC 7763 (Zen 3)", zen3.c_str(), "x86-64-v3"},
      {"Core i9-12900K (Alder Lake)", alder_lake.c_str(), "x86-64-v3"},
      {"Xeon Phi 7250 (Knights Landing)", knights_landing.c_str(), "x86-64-v3"},
      {"Xeon Gold 6148 (Skylake)", skylake.c_str(), "x86-64-v4"},
      {"Xeon Gold 6248 (Cascade Lake)", cascade_lake.c_str(), "x86-64-v4"},
      {"Xeon Platinum 8380 (Ice Lake)", ice_lake.c_str(), "x86-64-v4"},
      {"Xeon Gold 6328H (Cooper Lake)", cooper_lake.c_str(), "v4-bf16"},
      {"EPYC 9654 (Zen 4)", zen4.c_str(), "v4-bf16"},
      {"Xeon Platinum 8490H (Sapphire Rapids)", sapphire.c_str(), "sapphirerapids"},
      {"Xeon of the Emerald Rapids kind, a virtual machine without tiles", emerald.c_str(), "sapphirerapids"},
      {"Cortex-A72", "fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid", "baseline"},
      {"Neoverse N1", "fp asimd crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs", "armv8.2-a"},
      {"Neoverse V1", "fp asimd atomics fphp asimdhp asimdrdm asimddp sve svebf16 i8mm bf16", "neoverse-v1"},
      {"Neoverse V2", "fp asimd atomics fphp asimdhp asimdrdm asimddp sve sve2 svebf16 i8mm bf16", "neoverse-v1"},
      {"A64FX", "fp asimd atomics fphp asimdhp asimdrdm fcma sve", "baseline"}};
  return list;
}

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace gable
