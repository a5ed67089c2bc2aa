#pragma once
#include "core/model/dtype.hpp"

namespace gable::gpu {

/// What rows call the library that multiplies matrices of this type.
inline const char* library_label(DType) { return "cublaslt"; }

}  // namespace gable::gpu
