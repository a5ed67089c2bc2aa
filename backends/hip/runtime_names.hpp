#pragma once
#include <hip/hip_runtime_api.h>

#include <cstddef>

#undef __noinline__  // a macro of HIP's, a word of attributes in GCC's standard library

/// The HIP runtime's functions, types and constants, by what they are called after the prefix.
#define GABLE_RUNTIME(name) hip##name

namespace gable::gpu {

inline constexpr const char* runtime_name = "HIP";

/// What CUDA calls otherwise.
using DeviceProperties = hipDeviceProp_t;
inline constexpr hipError_t (*runtime_allocate_pinned)(void**, std::size_t, unsigned int) = &hipHostMalloc;
inline constexpr hipError_t (*runtime_release_pinned)(void*) = &hipHostFree;

}  // namespace gable::gpu
