#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "backends/openmp/isa/probe.hpp"

extern "C" {
const gable::isa::IsaTable* gable_isa_sse2();
const gable::isa::IsaTable* gable_isa_avx2();
const gable::isa::IsaTable* gable_isa_avx512();
const gable::isa::IsaTable* gable_isa_avx512_vnni();
const gable::isa::IsaTable* gable_isa_avx512_bf16();
const gable::isa::IsaTable* gable_isa_avx512_fp16();
const gable::isa::IsaTable* gable_isa_amx();
}

namespace gable::isa {
namespace {

/// Feature words of CPUID (Intel SDM vol. 2, AMD APM vol. 3): leaf 1, leaf 7 sub-leaves 0 and 1.
struct Features {
  std::uint32_t leaf1_ecx{}, leaf7_ebx{}, leaf7_ecx{}, leaf7_edx{}, leaf7_1_eax{};
  std::uint64_t xcr0{};  ///< register state the operating system saves
};

Features read_features() {
  Features f;
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) f.leaf1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
    f.leaf7_ebx = b, f.leaf7_ecx = c, f.leaf7_edx = d;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) f.leaf7_1_eax = a;
  }
  constexpr std::uint32_t osxsave = 1U << 27;
  if ((f.leaf1_ecx & osxsave) != 0) {
    std::uint32_t low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    f.xcr0 = (static_cast<std::uint64_t>(high) << 32) | low;
  }
  return f;
}

struct Need {
  std::uint32_t Features::*word;
  int bit;
  const char* name;
};

constexpr std::array avx2_needs{Need{&Features::leaf7_ebx, 5, "AVX2"}, Need{&Features::leaf1_ecx, 12, "FMA"},
                                Need{&Features::leaf1_ecx, 29, "F16C"}};
constexpr std::array avx512_needs{Need{&Features::leaf7_ebx, 16, "AVX512F"}, Need{&Features::leaf7_ebx, 17, "AVX512DQ"},
                                  Need{&Features::leaf7_ebx, 30, "AVX512BW"},
                                  Need{&Features::leaf7_ebx, 31, "AVX512VL"}, Need{&Features::leaf1_ecx, 12, "FMA"}};
constexpr std::array vnni_needs{Need{&Features::leaf7_ecx, 11, "AVX512_VNNI"}};
constexpr std::array bf16_needs{Need{&Features::leaf7_1_eax, 5, "AVX512_BF16"}};
constexpr std::array fp16_needs{Need{&Features::leaf7_edx, 23, "AVX512_FP16"}};
constexpr std::array amx_needs{Need{&Features::leaf7_edx, 24, "AMX_TILE"}, Need{&Features::leaf7_edx, 22, "AMX_BF16"},
                               Need{&Features::leaf7_edx, 25, "AMX_INT8"}};

template <std::size_t N>
std::string missing(const Features& f, const std::array<Need, N>& needs) {
  for (const auto& need : needs) {
    if ((f.*need.word >> need.bit & 1U) == 0) return std::string("CPU has no ") + need.name;
  }
  return {};
}

std::string state_missing(const Features& f, std::uint64_t state, const char* what) {
  return (f.xcr0 & state) == state ? "" : std::string("operating system does not save ") + what;
}

/// Linux gives tile registers only to processes that ask (arch_prctl, Documentation/arch/x86/xstate.rst); from 5.16 on.
std::string tiles_refused() {
  constexpr long request_permission = 0x1023;
  constexpr long tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0 ? "" : "operating system refuses AMX tile state";
}

std::string first(const std::string& a, const std::string& b) { return a.empty() ? b : a; }

}  // namespace

std::vector<Candidate> probe_tables() {
  const auto f = read_features();
  constexpr std::uint64_t ymm = 0x6, zmm = 0xe6, tiles = 0x60000;
  const auto avx2 = first(missing(f, avx2_needs), state_missing(f, ymm, "AVX registers"));
  const auto avx512 = first(missing(f, avx512_needs), state_missing(f, zmm, "AVX-512 registers"));
  auto amx = first(missing(f, amx_needs), state_missing(f, tiles, "AMX tiles"));
  if (amx.empty()) amx = tiles_refused();
  return {
      {gable_isa_sse2(), "sse2", ""},
      {gable_isa_avx2(), "avx2", avx2},
      {gable_isa_avx512(), "avx512", avx512},
      {gable_isa_avx512_vnni(), "avx512_vnni", first(avx512, missing(f, vnni_needs))},
      {gable_isa_avx512_bf16(), "avx512_bf16", first(avx512, missing(f, bf16_needs))},
      {gable_isa_avx512_fp16(), "avx512_fp16", first(avx512, missing(f, fp16_needs))},
      {gable_isa_amx(), "amx", amx},
  };
}

}  // namespace gable::isa
