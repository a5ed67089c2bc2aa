#pragma once
#include "backends/gpu/loaded_library.hpp"

/// What is used of hipFFT, which hands calls to rocFFT.
namespace gable::gpu {

inline constexpr const char* fft_label = "hipfft";
using FftPlan = void*;
inline constexpr const char* fft_make = "hipfftPlan3d";
inline constexpr const char* fft_set_stream = "hipfftSetStream";
inline constexpr const char* fft_run_fp64 = "hipfftExecZ2Z";
inline constexpr const char* fft_run_fp32 = "hipfftExecC2C";
inline constexpr const char* fft_destroy = "hipfftDestroy";

inline LoadedLibrary load_fft() { return {"libhipfft.so.0", "libhipfft.so"}; }

}  // namespace gable::gpu
