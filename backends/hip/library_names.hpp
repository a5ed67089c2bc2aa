#pragma once
#include "core/model/dtype.hpp"

namespace gable::gpu {

/// What rows call the library that multiplies matrices of this type.
inline const char* library_label(DType storage) { return storage == DType::fp64 ? "rocblas" : "hipblaslt"; }

}  // namespace gable::gpu
