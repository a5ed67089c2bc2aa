#include <sys/auxv.h>

#include <string>

#include "backends/openmp/isa/probe.hpp"

extern "C" {
const gable::isa::IsaTable* gable_isa_neon();
const gable::isa::IsaTable* gable_isa_neon_fp16();
const gable::isa::IsaTable* gable_isa_neon_dotprod();
const gable::isa::IsaTable* gable_isa_sve();
const gable::isa::IsaTable* gable_isa_sve_bf16();
const gable::isa::IsaTable* gable_isa_sve_i8mm();
}

namespace gable::isa {
namespace {

/// The SVE tables hold counts per vector, whose length only an SVE instruction tells: asked for where they run.
Candidate candidate(const char* name, bool supported, const char* feature, const IsaTable* (*table)()) {
  if (!supported) return {nullptr, name, std::string("CPU has no ") + feature};
  return {table(), name, ""};
}

}  // namespace

/// Feature bits of Linux, Documentation/arch/arm64/elf_hwcaps.rst.
std::vector<Candidate> probe_tables() {
  const unsigned long hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);
  const auto has = [](unsigned long word, int bit) { return (word >> bit & 1UL) != 0; };
  const bool sve = has(hwcap, 22);
  return {
      candidate("neon", true, "", gable_isa_neon),
      candidate("neon_fp16", has(hwcap, 10), "ASIMDHP", gable_isa_neon_fp16),
      candidate("neon_dotprod", has(hwcap, 20), "ASIMDDP", gable_isa_neon_dotprod),
      candidate("sve", sve, "SVE", gable_isa_sve),
      candidate("sve_bf16", sve && has(hwcap2, 12), "SVEBF16", gable_isa_sve_bf16),
      candidate("sve_i8mm", sve && has(hwcap2, 9), "SVEI8MM", gable_isa_sve_i8mm),
  };
}

}  // namespace gable::isa
