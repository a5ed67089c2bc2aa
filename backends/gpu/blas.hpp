#pragma once
#include <type_traits>

#include "backends/gpu/failure.hpp"
#include "backends/gpu/library.hpp"
#include "blas_names.hpp"

/// The vendor's BLAS, against its blas_names.hpp.
namespace gable::gpu {

/// The types that go with the names.
using BlasStatus = std::remove_const_t<decltype(blas_success)>;
using LtStatus = decltype(GABLE_BLAS(_STATUS_SUCCESS));
using LtData = decltype(GABLE_LT_DATA(32F));
using LtCompute = decltype(GABLE_BLAS(_COMPUTE_32F));

inline void check_blas(BlasStatus status, const char* what) {
  if (status != blas_success) fail(blas_title, what, blas_status_text(status), true);
}

/// Lives as long as the process: when that ends the driver may be gone before it.
inline BlasHandle blas_handle() {
  static BlasHandle made = [] {
    BlasHandle created{};
    check_blas(blas_create(&created), "starting");
    return created;
  }();
  return made;
}

/// The product as cuBLASLt or hipBLASLt makes it, which have the same functions under names that begin differently
/// (blas_names.hpp of the vendor); or why it has none. Throws DeviceFailure if the library fails otherwise.
PlannedGemm plan_lt_gemm(const GemmShape& shape);

}  // namespace gable::gpu
