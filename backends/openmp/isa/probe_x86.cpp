#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>
#include <string>

#include "backends/openmp/isa/isa.hpp"
#include "core/device/cpu_target.hpp"

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

/// Empty if this system shows all flags, else the first that is missing.
std::string missing(std::initializer_list<const char*> flags) {
  for (const char* flag : flags) {
    if (!cpu_has(flag)) return std::string("CPU has no ") + flag;
  }
  return {};
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
  const auto avx512 = missing({"avx512f", "avx512dq", "avx512bw", "avx512vl", "fma", "f16c"});
  auto amx = missing({"amx_tile", "amx_bf16", "amx_int8"});
  if (amx.empty()) amx = tiles_refused();
  return {
      {gable_isa_sse2(), "sse2", ""},
      {gable_isa_avx2(), "avx2", missing({"avx2", "fma", "f16c"})},
      {gable_isa_avx512(), "avx512", avx512},
      {gable_isa_avx512_vnni(), "avx512_vnni", first(avx512, missing({"avx512_vnni"}))},
      {gable_isa_avx512_bf16(), "avx512_bf16", first(avx512, missing({"avx512_bf16"}))},
      {gable_isa_avx512_fp16(), "avx512_fp16", first(avx512, missing({"avx512_fp16"}))},
      {gable_isa_amx(), "amx", amx},
  };
}

}  // namespace gable::isa
