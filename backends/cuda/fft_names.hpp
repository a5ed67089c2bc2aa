#pragma once
#include "backends/gpu/loaded_library.hpp"

/// What is used of cuFFT.
namespace gable::gpu {

inline constexpr const char* fft_label = "cufft";
using FftPlan = int;
inline constexpr const char* fft_make = "cufftPlan3d";
inline constexpr const char* fft_set_stream = "cufftSetStream";
inline constexpr const char* fft_run_fp64 = "cufftExecZ2Z";
inline constexpr const char* fft_run_fp32 = "cufftExecC2C";
inline constexpr const char* fft_destroy = "cufftDestroy";

/// CUDA 13 has version 12, CUDA 11 and 12 have 10 and 11.
inline LoadedLibrary load_fft() { return {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"}; }

}  // namespace gable::gpu
