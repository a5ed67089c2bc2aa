// Prints what every table claims, one kernel a line, for disassembly.py, which finds a kernel in this program by how
// many bytes it lies behind list_kernels_origin: compute <table>/<unit>/<dtype>/<variant> <bytes> <unit> <vector bits>
// <mnemonics> <count> stream <table>/<access>/<stores> <bytes> <access> <vector bits> <stores>
#include <cinttypes>
#include <cstdio>

#include "backends/openmp/isa/isa.hpp"

extern "C" [[gnu::used, gnu::noinline]] void list_kernels_origin() { asm volatile(""); }

namespace {

template <class Function>
std::intptr_t behind_origin(Function* function) {
  return reinterpret_cast<std::intptr_t>(function) - reinterpret_cast<std::intptr_t>(&list_kernels_origin);
}

}  // namespace

int main() {
  for (const auto& candidate : gable::isa::all_tables()) {
    std::fprintf(stderr, "%s: %s\n", candidate.name.c_str(),
                 candidate.refused.empty() ? "runs here" : candidate.refused.c_str());
    if (candidate.table == nullptr) continue;
    const auto& table = *candidate.table;
    for (const auto& k : table.compute) {
      std::printf("compute %s/%s/%s/%s %" PRIdPTR " %s %d %s %.0f\n", table.name, k.unit, k.dtype, k.variant,
                  behind_origin(k.run), k.unit, table.vector_bits, k.instruction, k.instructions);
    }
    for (const auto& k : table.stream) {
      std::printf("stream %s/%s/%s %" PRIdPTR " %s %d %s\n", table.name, k.access, k.stores, behind_origin(k.run),
                  k.access, table.vector_bits, k.stores);
    }
  }
}
