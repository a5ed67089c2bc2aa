#include <cublasLt.h>
#include <fmt/format.h>

#include "backends/gpu/blas.hpp"

namespace gable::gpu {

PlannedGemm plan_gemm(const GemmShape& shape) { return plan_lt_gemm(shape); }

std::vector<std::pair<std::string, std::string>> library_versions() {
  const auto version = cublasLtGetVersion();
  return {{"cuBLASLt", fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100)}};
}

}  // namespace gable::gpu
