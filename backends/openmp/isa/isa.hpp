#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/openmp/isa/isa_table.hpp"

namespace gable::isa {

/// A table of this build and whether this CPU and operating system can run it.
struct Candidate {
  const IsaTable* table{};  ///< null where even describing the table needs the missing instructions (SVE)
  std::string name;         ///< the table's name: avx2, sve, …
  std::string refused;      ///< empty if it runs here, else why not, e.g. "CPU has no avx512_fp16"
};

/// Every table of this build, narrowest first. Asks the kernel once for permission to use AMX tiles.
const std::vector<Candidate>& all_tables();
/// The tables this CPU can run, narrowest first.
std::vector<const IsaTable*> supported_tables();

/// Fills what a compute kernel of this dtype reads (layout: isa_table.hpp); a seed gives the same bytes everywhere.
/// Throws Error for a dtype no kernel has.
void fill_operands(std::string_view dtype, std::uint64_t seed, std::span<std::byte, operand_bytes> operands);

/// Cycles from one ComputeKernel::instruction sequence to the next that depends on it. `microarchitecture` as
/// DeviceInfo::microarchitecture has it ("Zen 3 (Milan)" and "Zen 3" both match). Figures: uops.info and Agner Fog's
/// instruction tables for x86, Arm's software optimisation guides for Neoverse. Nothing where unsure.
std::optional<double> chain_latency(std::string_view microarchitecture, std::string_view instruction);

}  // namespace gable::isa
