#include <fmt/format.h>
#include <hipblaslt/hipblaslt-version.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "backends/gpu/blas.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {
namespace {

/// fp64, which hipBLASLt has for few chips, if any. By columns: C^T = B^T A^T, so the library's first factor is our B.
class RocblasPlan final : public GemmPlan {
 public:
  explicit RocblasPlan(const GemmShape& shape) : shape_(shape) {}

  void enqueue(const void* a, const void* b, void* c, void* stream) override {
    constexpr double one = 1, zero = 0;
    const auto of_b = shape_.k_contiguous ? rocblas_operation_transpose : rocblas_operation_none;
    check_blas(rocblas_set_stream(blas_handle(), static_cast<Stream>(stream)), "choosing a stream");
    // Not rocblas_dgemm_64, which ROCm has from 6.3 on; plan_gemm() refuses what does not fit.
    const auto number = [](std::int64_t value) { return static_cast<rocblas_int>(value); };
    check_blas(
        rocblas_dgemm(blas_handle(), of_b, rocblas_operation_none, number(shape_.n), number(shape_.m), number(shape_.k),
                      &one, static_cast<const double*>(b), number(shape_.ldb), static_cast<const double*>(a),
                      number(shape_.lda), &zero, static_cast<double*>(c), number(shape_.ldc)),
        "multiplying matrices");
  }

  std::string algorithm() const override { return "rocblas_dgemm's own choice, which it does not tell"; }

 private:
  GemmShape shape_;
};

bool is_fp64(const Types& types) {
  return types.a == DType::fp64 && types.b == DType::fp64 && types.out == DType::fp64 &&
         types.accumulate == DType::fp64;
}

bool is_32_bit(const GemmShape& shape) {
  const auto numbers = {shape.m, shape.n, shape.k, shape.lda, shape.ldb, shape.ldc};
  return std::ranges::max(numbers) <= std::numeric_limits<rocblas_int>::max();
}

}  // namespace

PlannedGemm plan_gemm(const GemmShape& shape) {
  if (!is_fp64(shape.types)) return plan_lt_gemm(shape);
  if (!is_32_bit(shape)) return {nullptr, "rocblas_dgemm takes sizes below 2^31 only"};
  return {std::make_unique<RocblasPlan>(shape), ""};
}

/// Of the headers: asking the libraries takes a device.
std::vector<std::pair<std::string, std::string>> library_versions() {
  return {
      {"hipBLASLt", fmt::format("{}.{}.{}", HIPBLASLT_VERSION_MAJOR, HIPBLASLT_VERSION_MINOR, HIPBLASLT_VERSION_PATCH)},
      {"rocBLAS", fmt::format("{}.{}.{}", ROCBLAS_VERSION_MAJOR, ROCBLAS_VERSION_MINOR, ROCBLAS_VERSION_PATCH)},
  };
}

}  // namespace gable::gpu
