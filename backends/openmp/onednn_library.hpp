#pragma once
#include <memory>
#include <string>

#include "backends/openmp/matrix_library.hpp"

namespace gable::openmp {

/// bf16, fp16 (results in the same type or fp32) and int8 (int32 results) through oneDNN's matmul primitive. A type for
/// which this CPU has only oneDNN's reference implementation is refused.
class OneDnnLibrary final : public MatrixLibrary {
 public:
  explicit OneDnnLibrary(int threads);
  ~OneDnnLibrary() override;
  std::string name(const Types& types) const override;
  std::string refuses_gemm(const Types& types) const override;
  std::string refuses_gemv(const Types& types) const override;
  /// The first call of a shape makes its primitive; the last shape is kept.
  void gemm(const GemmCall& call) override;
  void gemv(const GemvCall& call) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "2.6.3" and its like, of the library found at run time.
std::string onednn_version();

}  // namespace gable::openmp
