#include <cublas_v2.h>
#include <fmt/format.h>

#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/library.hpp"
#include "core/error.hpp"

namespace gable::gpu {
namespace {

void check_library(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) fail("cuBLAS", what, cublasGetStatusString(status), true);
}

/// Lives as long as the process: when that ends the driver may be gone before it.
cublasHandle_t handle() {
  static cublasHandle_t made = [] {
    cublasHandle_t created{};
    check_library(cublasCreate(&created), "starting");
    return created;
  }();
  return made;
}

bool is_half(DType type) { return type == DType::fp16 || type == DType::bf16; }

}  // namespace

std::string refuses_gemv(const Types& types) {
  const bool same = types.a == types.b && types.a == types.out;
  const bool whole = (types.a == DType::fp64 || types.a == DType::fp32) && types.accumulate == types.a;
  if (same && (whole || (is_half(types.a) && types.accumulate == DType::fp32))) return "";
  return fmt::format("cublas has no gemv of {} x {} -> {} accumulating {}", to_string(types.a), to_string(types.b),
                     to_string(types.out), to_string(types.accumulate));
}

/// The library works by columns, so our A is its A transposed.
void enqueue_gemv(const GemvCall& call) {
  const auto refused = refuses_gemv(call.types);
  if (!refused.empty()) throw Error(refused);
  check_library(cublasSetStream(handle(), static_cast<Stream>(call.stream)), "choosing a stream");
  const auto rows = call.n;
  const auto columns = call.m;
  constexpr double one = 1.0, zero = 0.0;
  constexpr float single_one = 1.0F, single_zero = 0.0F;
  cublasStatus_t status{};
  switch (call.types.a) {
    case DType::fp64:
      status = cublasDgemv_64(handle(), CUBLAS_OP_T, rows, columns, &one, static_cast<const double*>(call.a), call.lda,
                              static_cast<const double*>(call.x), 1, &zero, static_cast<double*>(call.y), 1);
      break;
    case DType::fp32:
      status =
          cublasSgemv_64(handle(), CUBLAS_OP_T, rows, columns, &single_one, static_cast<const float*>(call.a), call.lda,
                         static_cast<const float*>(call.x), 1, &single_zero, static_cast<float*>(call.y), 1);
      break;
    case DType::fp16:
      status = cublasHSHgemvStridedBatched_64(
          handle(), CUBLAS_OP_T, rows, columns, &single_one, static_cast<const __half*>(call.a), call.lda, 0,
          static_cast<const __half*>(call.x), 1, 0, &single_zero, static_cast<__half*>(call.y), 1, 0, 1);
      break;
    default:
      status = cublasTSTgemvStridedBatched_64(
          handle(), CUBLAS_OP_T, rows, columns, &single_one, static_cast<const __nv_bfloat16*>(call.a), call.lda, 0,
          static_cast<const __nv_bfloat16*>(call.x), 1, 0, &single_zero, static_cast<__nv_bfloat16*>(call.y), 1, 0, 1);
  }
  check_library(status, "multiplying a matrix and a vector");
}

}  // namespace gable::gpu
