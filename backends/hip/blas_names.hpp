#pragma once
#include <rocblas/rocblas.h>

/// What is used of rocBLAS.
namespace gable::gpu {

inline constexpr const char* blas_title = "rocBLAS";
using BlasHandle = rocblas_handle;
using BlasStatus = rocblas_status;
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

}  // namespace gable::gpu
