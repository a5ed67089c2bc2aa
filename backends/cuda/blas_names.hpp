#pragma once
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/model/dtype.hpp"

/// cuBLASLt's functions, types and constants, by what they are called after the prefix.
#define GABLE_LT(name) cublasLt##name
#define GABLE_LT_DATA(name) CUDA_R_##name
#define GABLE_BLAS(name) CUBLAS##name

/// What is used of cuBLAS.
namespace gable::gpu {

/// What NVIDIA advises for sm_90; more than enough for its others.
inline constexpr std::size_t lt_workspace_bytes = std::size_t{32} << 20;

inline constexpr const char* blas_title = "cuBLAS";
using BlasHandle = cublasHandle_t;
using BlasHalf = __half;
using BlasBfloat16 = __nv_bfloat16;
inline constexpr auto blas_success = CUBLAS_STATUS_SUCCESS;
inline constexpr auto blas_transposed = CUBLAS_OP_T;
inline constexpr auto* blas_status_text = &cublasGetStatusString;
inline constexpr auto* blas_create = &cublasCreate;
inline constexpr auto* blas_set_stream = &cublasSetStream;
inline constexpr auto* blas_gemv_fp64 = &cublasDgemv_64;
inline constexpr auto* blas_gemv_fp32 = &cublasSgemv_64;
inline constexpr auto* blas_gemv_fp16 = &cublasHSHgemvStridedBatched_64;
inline constexpr auto* blas_gemv_bf16 = &cublasTSTgemvStridedBatched_64;

inline constexpr const char* lt_title = "cuBLASLt";

inline std::string lt_status(cublasStatus_t status) { return cublasLtGetStatusString(status); }

/// Floating-point types of eight bits and less, block-scaled ones by their elements.
inline std::optional<cudaDataType_t> lt_narrow(DType type) {
  switch (element_of(type)) {
    case DType::fp8_e4m3:
      return CUDA_R_8F_E4M3;
    case DType::fp8_e5m2:
      return CUDA_R_8F_E5M2;
#if CUDART_VERSION >= 12080
    case DType::fp4_e2m1:
      return CUDA_R_4F_E2M1;
#endif
    default:
      return {};
  }
}

/// The scales that blocks of a type share: of how many elements, what 1 is, and what the library calls them.
struct LtBlockScales {
  int elements;
  unsigned char one;
  std::int32_t mode;
};
/// Of the block-scaled types that it has a mode for (cuBLAS, "1D Block Scaling for FP8 and FP4 Data Types"). Whether
/// there are products of them the heuristic says: of mxfp4 not in every release (NVIDIA's sample LtMxfp4Matmul).
inline std::optional<LtBlockScales> lt_block_scales([[maybe_unused]] DType type) {
#if CUDART_VERSION >= 12080
  if (type == DType::mxfp8_e4m3 || type == DType::mxfp8_e5m2 || type == DType::mxfp4) {
    return LtBlockScales{32, 0x7f, CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0};
  }
  if (type == DType::nvfp4) return LtBlockScales{16, 0x38, CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3};
#endif
  return {};
}
/// The same scales, in device memory, for both factors.
inline cublasStatus_t lt_set_block_scales([[maybe_unused]] cublasLtMatmulDesc_t product,
                                          [[maybe_unused]] const LtBlockScales& scales,
                                          [[maybe_unused]] const void* values) {
#if CUDART_VERSION >= 12080
  for (const auto which : {CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_DESC_B_SCALE_MODE}) {
    const auto status = cublasLtMatmulDescSetAttribute(product, which, &scales.mode, sizeof scales.mode);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  for (const auto which : {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER}) {
    const auto status = cublasLtMatmulDescSetAttribute(product, which, &values, sizeof values);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
#endif
  return CUBLAS_STATUS_SUCCESS;
}

/// Why there is no product of factors of these types, where the heuristic would not say so; else empty.
inline std::string lt_refuses(DType a, DType b) {
  // cuBLAS, cublasLtMatmul(), FP8 kernels
  if (element_of(a) == DType::fp8_e5m2 && element_of(b) == DType::fp8_e5m2) {
    return fmt::format("one factor at most is {}", to_string(a));
  }
  const bool narrow = is_block_scaled(a) || (!is_integer(a) && size_bytes(a) < 1);
  if (!narrow || (lt_block_scales(a) && a == b)) return "";
#if CUDART_VERSION >= 12080
  return "of types of less than eight bits it multiplies fp4 with scales of blocks alone";
#else
  return "it multiplies types with scales of blocks or of less than eight bits from CUDA 12.8 on";
#endif
}

/// Sums of fp8 products stay in the matrix units, as those of the native kernel do.
inline cublasStatus_t lt_prepare_fp8(cublasLtMatmulDesc_t product) {
  constexpr std::int8_t fast = 1;
  return cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
}

/// All pointers are multiples of `alignment` bytes.
inline cublasStatus_t lt_prefer_alignment(cublasLtMatmulPreference_t preference, std::uint32_t alignment) {
  for (const auto which : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                           CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    const auto status = cublasLtMatmulPreferenceSetAttribute(preference, which, &alignment, sizeof alignment);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}

/// Sums of parts of k stay in the type of the computation. The default also allows what adds them in the result's.
inline cublasStatus_t lt_keep_sums(cublasLtMatmulPreference_t preference) {
  constexpr std::uint32_t allowed = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;  // beside none, which always is
  return cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &allowed,
                                              sizeof allowed);
}

template <class T>
T lt_config(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t which) {
  T value{};
  std::size_t written = 0;
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, which, &value, sizeof value, &written);
  return value;
}

/// What the heuristic chose, in the library's own numbers.
inline std::string lt_algorithm(cublasLtHandle_t, const cublasLtMatmulAlgo_t& algorithm) {
  return fmt::format("{}, tile {}, stages {}, split-k {}", lt_config<int>(algorithm, CUBLASLT_ALGO_CONFIG_ID),
                     lt_config<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID),
                     lt_config<std::uint32_t>(algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID),
                     lt_config<std::int32_t>(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM));
}

}  // namespace gable::gpu
