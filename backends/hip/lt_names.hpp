#pragma once
#include <fmt/format.h>
#include <hipblaslt/hipblaslt.h>
#include <hipblaslt/hipblaslt-ext.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/dtype.hpp"

/// hipBLASLt's functions, types and constants, by what they are called after the prefix.
#define GABLE_LT(name) hipblasLt##name
#define GABLE_LT_DATA(name) HIP_R_##name
#define GABLE_BLAS(name) HIPBLAS##name

namespace gable::gpu {

inline constexpr const char* lt_title = "hipBLASLt";
using LtStatus = hipblasStatus_t;
using LtData = hipDataType;
using LtCompute = hipblasComputeType_t;

/// The library has no function for it; the names are those of its enumeration.
inline std::string lt_status(LtStatus status) {
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
inline std::optional<LtData> lt_fp8(DType type) {
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

/// The heuristic says itself what there is no product of.
inline std::string lt_refuses(DType, DType) { return ""; }
/// fp8 products are summed in fp32 by the matrix units: nothing to choose.
inline LtStatus lt_prepare_fp8(hipblasLtMatmulDesc_t) { return HIPBLAS_STATUS_SUCCESS; }
/// The library is not told.
inline LtStatus lt_prefer_alignment(hipblasLtMatmulPreference_t, std::uint32_t) { return HIPBLAS_STATUS_SUCCESS; }

/// What the heuristic chose, in the library's own number and name.
inline std::string lt_algorithm(hipblasLtHandle_t handle, hipblasLtMatmulAlgo_t algorithm) {
  return fmt::format("{}, {}", hipblaslt_ext::getIndexFromAlgo(algorithm),
                     hipblaslt_ext::getSolutionNameFromAlgo(handle, algorithm));
}

}  // namespace gable::gpu
