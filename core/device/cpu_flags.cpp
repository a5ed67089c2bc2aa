#include "core/device/cpu_target.hpp"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace gable {
namespace {

#if defined(__x86_64__)
/// Feature words of CPUID (Intel SDM vol. 2, AMD APM vol. 3).
struct Words {
  std::uint32_t leaf1_ecx{}, leaf7_ebx{}, leaf7_ecx{}, leaf7_edx{}, leaf7_1_eax{}, leaf7_1_edx{}, extended1_ecx{};
  std::uint64_t saved{};  ///< register state the operating system saves: XCR0
};

Words read_words() {
  Words w;
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) w.leaf1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
    w.leaf7_ebx = b, w.leaf7_ecx = c, w.leaf7_edx = d;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) w.leaf7_1_eax = a, w.leaf7_1_edx = d;
  }
  if (__get_cpuid(0x80000001U, &a, &b, &c, &d) != 0) w.extended1_ecx = c;
  constexpr std::uint32_t osxsave = 1U << 27;
  if ((w.leaf1_ecx & osxsave) != 0) {
    std::uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    w.saved = (static_cast<std::uint64_t>(high) << 32) | low;
  }
  return w;
}

constexpr std::uint64_t none = 0, ymm = 0x6, zmm = 0xe6, tiles = 0x60000;

struct Bit {
  const char* flag;
  std::uint32_t Words::*word;
  int bit;
  std::uint64_t state;  ///< that the operating system must save
};

constexpr Bit bits[] = {{"pni", &Words::leaf1_ecx, 0, none},
                        {"ssse3", &Words::leaf1_ecx, 9, none},
                        {"fma", &Words::leaf1_ecx, 12, ymm},
                        {"sse4_1", &Words::leaf1_ecx, 19, none},
                        {"sse4_2", &Words::leaf1_ecx, 20, none},
                        {"movbe", &Words::leaf1_ecx, 22, none},
                        {"popcnt", &Words::leaf1_ecx, 23, none},
                        {"avx", &Words::leaf1_ecx, 28, ymm},
                        {"f16c", &Words::leaf1_ecx, 29, ymm},
                        {"abm", &Words::extended1_ecx, 5, none},
                        {"bmi1", &Words::leaf7_ebx, 3, none},
                        {"avx2", &Words::leaf7_ebx, 5, ymm},
                        {"bmi2", &Words::leaf7_ebx, 8, none},
                        {"avx512f", &Words::leaf7_ebx, 16, zmm},
                        {"avx512dq", &Words::leaf7_ebx, 17, zmm},
                        {"avx512ifma", &Words::leaf7_ebx, 21, zmm},
                        {"avx512cd", &Words::leaf7_ebx, 28, zmm},
                        {"avx512bw", &Words::leaf7_ebx, 30, zmm},
                        {"avx512vl", &Words::leaf7_ebx, 31, zmm},
                        {"avx512vbmi", &Words::leaf7_ecx, 1, zmm},
                        {"avx512_vbmi2", &Words::leaf7_ecx, 6, zmm},
                        {"gfni", &Words::leaf7_ecx, 8, none},
                        {"avx512_vnni", &Words::leaf7_ecx, 11, zmm},
                        {"avx512_bitalg", &Words::leaf7_ecx, 12, zmm},
                        {"avx512_vpopcntdq", &Words::leaf7_ecx, 14, zmm},
                        {"amx_bf16", &Words::leaf7_edx, 22, tiles},
                        {"avx512_fp16", &Words::leaf7_edx, 23, zmm},
                        {"amx_tile", &Words::leaf7_edx, 24, tiles},
                        {"amx_int8", &Words::leaf7_edx, 25, tiles},
                        {"avx_vnni", &Words::leaf7_1_eax, 4, ymm},
                        {"avx512_bf16", &Words::leaf7_1_eax, 5, zmm},
                        {"avx_ifma", &Words::leaf7_1_eax, 23, ymm},
                        {"avx_vnni_int8", &Words::leaf7_1_edx, 4, ymm},
                        {"avx_ne_convert", &Words::leaf7_1_edx, 5, ymm},
                        {"avx_vnni_int16", &Words::leaf7_1_edx, 10, ymm},
                        {"xop", &Words::extended1_ecx, 11, ymm},
                        {"fma4", &Words::extended1_ecx, 16, ymm},
                        {"tbm", &Words::extended1_ecx, 21, none}};

std::vector<std::string> read_flags() {
  const Words words = read_words();
  std::vector<std::string> flags;
  for (const Bit& bit : bits) {
    if ((words.*bit.word >> bit.bit & 1U) != 0 && (words.saved & bit.state) == bit.state) flags.emplace_back(bit.flag);
  }
  return flags;
}
#elif defined(__aarch64__)
struct Bit {
  const char* flag;
  unsigned long word;  ///< AT_HWCAP or AT_HWCAP2
  int bit;
};

/// Linux, Documentation/arch/arm64/elf_hwcaps.rst.
constexpr Bit bits[] = {{"asimd", AT_HWCAP, 1},     {"atomics", AT_HWCAP, 8},  {"asimdhp", AT_HWCAP, 10},
                        {"asimdrdm", AT_HWCAP, 12}, {"asimddp", AT_HWCAP, 20}, {"sve", AT_HWCAP, 22},
                        {"sve2", AT_HWCAP2, 1},     {"svei8mm", AT_HWCAP2, 9}, {"svebf16", AT_HWCAP2, 12},
                        {"i8mm", AT_HWCAP2, 13},    {"bf16", AT_HWCAP2, 14}};

std::vector<std::string> read_flags() {
  std::vector<std::string> flags;
  for (const Bit& bit : bits) {
    if ((getauxval(bit.word) >> bit.bit & 1UL) != 0) flags.emplace_back(bit.flag);
  }
  return flags;
}
#else
std::vector<std::string> read_flags() { return {}; }
#endif

}  // namespace

const std::vector<std::string>& cpu_flags() {
  static const std::vector<std::string> flags = read_flags();
  return flags;
}

bool cpu_has(const std::string& flag) {
  return std::find(cpu_flags().begin(), cpu_flags().end(), flag) != cpu_flags().end();
}

}  // namespace gable
