#pragma once
#include <cublasLt.h>
#include <cublas_v2.h>
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

inline std::optional<cudaDataType_t> lt_fp8(DType type) {
  if (type == DType::fp8_e4m3) return CUDA_R_8F_E4M3;
  if (type == DType::fp8_e5m2) return CUDA_R_8F_E5M2;
  return {};
}

/// Why there is no product of factors of these types, where the heuristic would not say so; else empty.
inline std::string lt_refuses(DType a, DType b) {
  const bool both = a == DType::fp8_e5m2 && b == DType::fp8_e5m2;  // cuBLAS, cublasLtMatmul(), FP8 kernels
  return both ? "one factor at most is fp8_e5m2" : "";
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
