// What Kokkos before 5 lacks for CUDA. The build includes it before everything else in what is compiled against such a
// Kokkos, and in Kokkos itself (cmake/GableKokkos.cmake).
#pragma once
// Its views mark empty members [[no_unique_address]], and nvcc with g++ 12 lays out what follows a view in one way on
// the host and in another on the device, so that kernels read wrong arguments. As plain members they lie the same in
// both (Kokkos' pull request 8615).
#define MDSPAN_IMPL_USE_ATTRIBUTE_NO_UNIQUE_ADDRESS 1
#define MDSPAN_IMPL_NO_UNIQUE_ADDRESS
#define MDSPAN_IMPL_USE_FAKE_ATTRIBUTE_NO_UNIQUE_ADDRESS
#if defined(__cplusplus)
#include <cuda_runtime_api.h>
#if CUDART_VERSION >= 13000
// Two calls with the arguments that they had before CUDA 13.
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
static inline cudaError_t cudaMemPrefetchAsync(const void* address, size_t bytes, int device, cudaStream_t stream) {
  cudaMemLocation place{};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return cudaMemPrefetchAsync(address, bytes, place, 0U, stream);
}
#endif
#endif
