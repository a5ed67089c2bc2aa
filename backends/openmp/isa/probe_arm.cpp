#include <string>

#include "backends/openmp/isa/isa.hpp"
#include "core/device/cpu_target.hpp"

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
Candidate candidate(const char* name, const char* flag, const IsaTable* (*table)()) {
  if (!cpu_has(flag)) return {nullptr, name, std::string("CPU has no ") + flag};
  return {table(), name, ""};
}

}  // namespace

std::vector<Candidate> probe_tables() {
  return {
      candidate("neon", "asimd", gable_isa_neon),
      candidate("neon_fp16", "asimdhp", gable_isa_neon_fp16),
      candidate("neon_dotprod", "asimddp", gable_isa_neon_dotprod),
      candidate("sve", "sve", gable_isa_sve),
      candidate("sve_bf16", "svebf16", gable_isa_sve_bf16),
      candidate("sve_i8mm", "svei8mm", gable_isa_sve_i8mm),
  };
}

}  // namespace gable::isa
