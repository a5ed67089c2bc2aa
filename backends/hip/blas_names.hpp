#pragma once
#include <fmt/format.h>
#include <hipblaslt/hipblaslt.h>
#include <rocblas/rocblas.h>

#include <cstddef>
#include <cstdint>
#include <hipblaslt/hipblaslt-ext.hpp>
#include <optional>
#include <string>

#include "core/model/dtype.hpp"

/// hipBLASLt's functions, types and constants, by what they are called after the prefix.
#define GABLE_LT(name) hipblasLt##name
#define GABLE_LT_DATA(name) HIP_R_##name
#define GABLE_BLAS(name) HIPBLAS##name

/// What is used of rocBLAS.
namespace gable::gpu {

/// Its fastest solutions of large products ask for up to 76 MB (pytorch/pytorch#139300).
inline constexpr std::size_t lt_workspace_bytes = std::size_t{128} << 20;

inline constexpr const char* blas_title = "rocBLAS";
using BlasHandle = rocblas_handle;
using BlasHalf = rocblas_half;
using BlasBfloat16 = rocblas_bfloat16;
inline constexpr auto blas_success = rocblas_status_success;
inline constexpr auto blas_transposed = rocblas_operation_transpose;
inline constexpr auto* blas_status_text = &rocblas_status_to_string;
inline constexpr auto* blas_create = &rocblas_create_handle;
inline constexpr auto* blas_set_stream = &rocblas_set_stream;
inline constexpr auto* blas_gemv_fp64 = &rocblas_dgemv_64;
inline constexpr auto* blas_gemv_fp32 = &rocblas_sgemv_64;
inline constexpr auto* blas_gemv_fp16 = &rocblas_hshgemv_strided_batched_64;
inline constexpr auto* blas_gemv_bf16 = &rocblas_tstgemv_strided_batched_64;

inline constexpr const char* lt_title = "hipBLASLt";

/// The library has no function for it; the names are those of its enumeration.
inline std::string lt_status(hipblasStatus_t status) {
  switch (status) {
    case HIPBLAS_STATUS_NOT_SUPPORTED:
      return "not supported";
    case HIPBLAS_STATUS_INVALID_VALUE:
      return "invalid value";
    case HIPBLAS_STATUS_ARCH_MISMATCH:
      return "not for this architecture";
    case HIPBLAS_STATUS_ALLOC_FAILED:
      return "out of memory";
    default:
      return fmt::format("status {}", static_cast<int>(status));
  }
}

/// FNUZ kinds are gfx942's, those of OCP gfx950's: the heuristic refuses what the chip lacks.
inline std::optional<hipDataType> lt_narrow(DType type) {
  switch (type) {
    case DType::fp8_e4m3:
      return HIP_R_8F_E4M3;
    case DType::fp8_e5m2:
      return HIP_R_8F_E5M2;
    case DType::fp8_e4m3fnuz:
      return HIP_R_8F_E4M3_FNUZ;
    case DType::fp8_e5m2fnuz:
      return HIP_R_8F_E5M2_FNUZ;
    default:
      return {};
  }
}

/// No scales of blocks are given to this library.
struct LtBlockScales {
  int elements;
  unsigned char one;
};
inline std::optional<LtBlockScales> lt_block_scales(DType) { return {}; }
inline hipblasStatus_t lt_set_block_scales(hipblasLtMatmulDesc_t, const LtBlockScales&, const void*) {
  return HIPBLAS_STATUS_SUCCESS;
}
/// Of other types the heuristic says itself what there is no product of.
inline std::string lt_refuses(DType a, DType) {
  return is_block_scaled(a) ? "Gable gives it no scales of blocks; the native kernels have them" : "";
}
/// fp8 products are summed in fp32 by the matrix units: nothing to choose.
inline hipblasStatus_t lt_prepare_fp8(hipblasLtMatmulDesc_t) { return HIPBLAS_STATUS_SUCCESS; }
/// The library is not told.
inline hipblasStatus_t lt_prefer_alignment(hipblasLtMatmulPreference_t, std::uint32_t) {
  return HIPBLAS_STATUS_SUCCESS;
}
/// Of partial sums it cannot be told anything.
inline hipblasStatus_t lt_keep_sums(hipblasLtMatmulPreference_t) { return HIPBLAS_STATUS_SUCCESS; }

/// What the heuristic chose, in the library's own number and name.
inline std::string lt_algorithm(hipblasLtHandle_t handle, hipblasLtMatmulAlgo_t algorithm) {
  return fmt::format("{}, {}", hipblaslt_ext::getIndexFromAlgo(algorithm),
                     hipblaslt_ext::getSolutionNameFromAlgo(handle, algorithm));
}

}  // namespace gable::gpu
