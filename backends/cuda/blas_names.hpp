#pragma once
#include <cublas_v2.h>

/// What is used of cuBLAS.
namespace gable::gpu {

inline constexpr const char* blas_title = "cuBLAS";
using BlasHandle = cublasHandle_t;
using BlasStatus = cublasStatus_t;
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

}  // namespace gable::gpu
