#pragma once
#include "backends/gpu/failure.hpp"
#include "blas_names.hpp"

/// The vendor's BLAS, against its blas_names.hpp.
namespace gable::gpu {

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

}  // namespace gable::gpu
