// Prints what every table claims, one kernel a line, for disassembly.py:
// compute <symbol> <unit> <vector bits> <mnemonics> <count>    stream <symbol> <access> <vector bits> <stores>
#include <cstdio>

#include "backends/openmp/isa/isa.hpp"

int main() {
  for (const auto& candidate : gable::isa::all_tables()) {
    std::fprintf(stderr, "%s: %s\n", candidate.name.c_str(),
                 candidate.refused.empty() ? "runs here" : candidate.refused.c_str());
    if (candidate.table == nullptr) continue;
    const auto& table = *candidate.table;
    for (std::size_t i = 0; i < table.compute_count; ++i) {
      const auto& k = table.compute[i];
      std::printf("compute %s %s %d %s %.0f\n", k.symbol, k.unit, table.vector_bits, k.instruction, k.instructions);
    }
    for (std::size_t i = 0; i < table.stream_count; ++i) {
      const auto& k = table.stream[i];
      std::printf("stream %s %s %d %s\n", k.symbol, k.access, table.vector_bits, k.stores);
    }
  }
}
