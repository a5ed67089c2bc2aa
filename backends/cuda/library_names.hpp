#pragma once
#include "backends/gpu/loaded_library.hpp"
#include "core/model/dtype.hpp"

namespace gable::gpu {

/// What rows call the library that multiplies matrices of this type.
inline const char* library_label(DType) { return "cublaslt"; }

/// What rows call cuFFT, and what names of its functions begin with.
inline constexpr const char* fft_label = "cufft";
using FftPlan = int;

/// CUDA 13 has version 12, CUDA 11 and 12 have 10 and 11.
inline LoadedLibrary load_fft() { return {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"}; }

}  // namespace gable::gpu
