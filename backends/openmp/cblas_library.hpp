#pragma once
#include <string>
#include <vector>

#include "backends/openmp/matrix_library.hpp"

namespace gable::openmp {

/// fp64 and fp32 gemm and gemv of the CBLAS this was linked with.
class CblasLibrary final : public MatrixLibrary {
 public:
  explicit CblasLibrary(const std::vector<int>& cpus);
  std::string name(const Types& types) const override;
  std::string refuses_gemm(const Types& types) const override;
  std::string refuses_gemv(const Types& types) const override;
  void gemm(const GemmCall& call) override;
  void gemv(const GemvCall& call) override;
};

/// Name of the library ("openblas", "cblas") and its version ("unknown" if it does not tell).
std::string cblas_name();
std::string cblas_version();

}  // namespace gable::openmp
