#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

/// The CUDA runtime's functions, types and constants, by what they are called after the prefix.
#define GABLE_RUNTIME(name) cuda##name

namespace gable::gpu {

inline constexpr const char* runtime_name = "CUDA";

/// What HIP calls otherwise.
using DeviceProperties = cudaDeviceProp;
inline constexpr cudaError_t (*runtime_allocate_pinned)(void**, std::size_t, unsigned int) = &cudaHostAlloc;
inline constexpr cudaError_t (*runtime_release_pinned)(void*) = &cudaFreeHost;

}  // namespace gable::gpu
