#include <string>

#include "backends/openmp/isa/isa.hpp"

namespace gable::isa {
namespace {

struct Entry {
  std::string_view microarchitecture;  ///< contained in the name asked for
  std::string_view instructions;       ///< normalised, see below
  double cycles;
};

/// Multiplication and addition in sequence add up. Left out on purpose: Golden Cove's addition (2 or 3 cycles, by what
/// feeds it), NEON's fmla (the sum is forwarded early, differently from core to core), tiles.
constexpr Entry entries[] = {
    {"Haswell", "vfmadd", 5},
    {"Broadwell", "vfmadd", 5},
    {"Skylake", "vfmadd", 4},
    {"Cascade Lake", "vfmadd", 4},
    {"Cooper Lake", "vfmadd", 4},
    {"Ice Lake", "vfmadd", 4},
    {"Sapphire Rapids", "vfmadd", 4},
    {"Emerald Rapids", "vfmadd", 4},
    {"Granite Rapids", "vfmadd", 4},
    {"Zen 1", "vfmadd", 5},
    {"Zen 2", "vfmadd", 5},
    {"Zen 3", "vfmadd", 4},
    {"Zen 4", "vfmadd", 4},
    {"Zen 5", "vfmadd", 4},
    {"Skylake", "mul+add", 8},
    {"Cascade Lake", "mul+add", 8},
    {"Cooper Lake", "mul+add", 8},
    {"Ice Lake", "mul+add", 8},
    {"Zen 2", "mul+add", 6},
    {"Zen 3", "mul+add", 6},
    {"Zen 4", "mul+add", 6},
    {"Cascade Lake", "vpdpbusd", 5},
    {"Cooper Lake", "vpdpbusd", 5},
    {"Ice Lake", "vpdpbusd", 5},
    {"Sapphire Rapids", "vpdpbusd", 5},
    {"Emerald Rapids", "vpdpbusd", 5},
    {"Zen 4", "vpdpbusd", 4},
    {"Neoverse N1", "fmadd", 4},
    {"Neoverse V1", "fmadd", 4},
    {"Neoverse N2", "fmadd", 4},
    {"Neoverse V2", "fmadd", 4},
    {"Neoverse V1", "fmad", 4},
    {"Neoverse N2", "fmad", 4},
    {"Neoverse V2", "fmad", 4},
    {"A64FX", "fmadd", 9},
    {"A64FX", "fmad", 9},
};

/// One latency for every operand order, width and element type: vfmadd213pd -> vfmadd, mulpd+addpd -> mul+add.
std::string normalised(std::string_view instruction) {
  if (instruction.starts_with("vfmadd")) return "vfmadd";
  for (const std::string_view element : {"pd", "ps", "sd", "ss"}) {
    if (instruction == "mul" + std::string(element) + "+add" + std::string(element)) return "mul+add";
  }
  return std::string(instruction);
}

}  // namespace

std::optional<double> chain_latency(std::string_view microarchitecture, std::string_view instruction) {
  const auto wanted = normalised(instruction);
  for (const auto& entry : entries) {
    if (entry.instructions == wanted && microarchitecture.find(entry.microarchitecture) != std::string_view::npos) {
      return entry.cycles;
    }
  }
  return {};
}

}  // namespace gable::isa
