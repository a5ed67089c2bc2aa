#pragma once
#include "backends/gpu/loaded_library.hpp"
#include "core/model/dtype.hpp"

namespace gable::gpu {

/// What rows call the library that multiplies matrices of this type.
inline const char* library_label(DType storage) { return storage == DType::fp64 ? "rocblas" : "hipblaslt"; }

/// What rows call hipFFT, which hands calls to rocFFT, and what names of its functions begin with.
inline constexpr const char* fft_label = "hipfft";
using FftPlan = void*;

inline LoadedLibrary load_fft() { return {"libhipfft.so.0", "libhipfft.so"}; }

}  // namespace gable::gpu
