#pragma once

/// Marks a function that host and device code both call; inline without a device compiler. KOKKOS_INLINE_FUNCTION
/// without Kokkos, so that storage types can be tested, and used, without it.
#if defined(__CUDACC__)
#define GABLE_FUNCTION __host__ __device__ __forceinline__
#elif defined(__HIPCC__)
#define GABLE_FUNCTION __host__ __device__ inline __attribute__((always_inline))
#else
#define GABLE_FUNCTION inline __attribute__((always_inline))
#endif

/// Defined where lanes are the registers of one thread: under GPU compilers.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define GABLE_ARRAY_LANES 1
#endif
