#pragma once
#include <cstddef>
#include <cstdint>
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

/// Fills what a compute kernel of this dtype reads (layout: isa_table.hpp); a seed gives the same bytes everywhere.
/// Throws Error for a dtype no kernel has.
void fill_operands(std::string_view dtype, std::uint64_t seed, std::span<std::byte, operand_bytes> operands);

/// hundreds x 100 additions to one register, each of which waits for the last; returns how many there were. One takes
/// one cycle on every x86-64 and 64-bit Arm core (uops.info; Arm's software optimisation guides): a time of known
/// length in cycles. Both operands are registers, because some cores add constants without a cycle of their own.
std::uint64_t dependent_additions(std::uint64_t hundreds);

/// Asks this CPU and its operating system; one definition per architecture (probe_x86.cpp, probe_arm.cpp,
/// probe_other.cpp).
std::vector<Candidate> probe_tables();

}  // namespace gable::isa
