#include "backends/openmp/ceilings/instructions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "backends/openmp/isa/isa.hpp"

namespace gable::openmp {
namespace {

bool is_kernel_for(const isa::ComputeKernel& kernel, std::string_view unit, DType dtype, std::string_view variant) {
  return kernel.unit == unit && kernel.dtype == to_string(dtype) && kernel.variant == variant;
}

}  // namespace

Instructions native_instructions() {
  Instructions native;
  for (const auto& candidate : isa::all_tables()) {
    if (candidate.refused.empty()) {
      native.tables.push_back(candidate.table);
    } else {
      native.missing.push_back({candidate.table, candidate.refused});
    }
  }
  return native;
}

std::vector<ComputeChoice> compute_kernels(const Instructions& instructions, std::string_view unit, DType dtype,
                                           std::string_view variant) {
  std::vector<ComputeChoice> found;
  for (const auto* table : instructions.tables) {
    for (const auto& kernel : table->compute) {
      if (is_kernel_for(kernel, unit, dtype, variant)) found.push_back({table, &kernel});
    }
  }
  std::reverse(found.begin(), found.end());
  std::stable_sort(found.begin(), found.end(), [](const ComputeChoice& a, const ComputeChoice& b) {
    return a.table->vector_bits > b.table->vector_bits;
  });
  return found;
}

StreamChoice stream_kernel(const Instructions& instructions, Access access, Stores stores) {
  StreamChoice best;
  for (const auto* table : instructions.tables) {
    for (const auto& kernel : table->stream) {
      const bool wider = best.table == nullptr || table->vector_bits >= best.table->vector_bits;
      if (wider && kernel.access == to_string(access) && kernel.stores == to_string(stores)) best = {table, &kernel};
    }
  }
  return best;
}

std::string why_missing(const Instructions& instructions, std::string_view unit, DType dtype) {
  std::vector<std::string> reasons;
  for (const auto& missing : instructions.missing) {
    if (missing.table == nullptr) continue;
    const bool has = std::ranges::any_of(missing.table->compute,
                                         [&](const auto& kernel) { return is_kernel_for(kernel, unit, dtype, ""); });
    if (has) reasons.push_back(missing.reason);
  }
  if (reasons.empty()) return fmt::format("no kernel of this build for {} on the {} unit", to_string(dtype), unit);
  return fmt::format("{}", fmt::join(reasons, "; "));
}

}  // namespace gable::openmp
