// Launches, and what is known of a kernel before it is launched.
#include "tests/gpu/emulated/machine/launch.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/runtime/answer.hpp"
#include "tests/gpu/emulated/runtime/device.hpp"
#include "tests/gpu/emulated/runtime/program.hpp"
#include "tests/gpu/emulated/runtime/stream.hpp"

namespace gable::emulated {
namespace {

/// PTX has no physical registers. With so many a kernel may be launched with every size of a block.
constexpr int registers_of_a_thread = 32;

struct Configuration {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;
};

/// What <<<…>>> said and the launch that follows has not taken yet.
std::vector<Configuration>& pushed() {
  thread_local std::vector<Configuration> it;
  return it;
}

/// EMULATED_WARP_ORDER: Launch::warp_order.
int warp_order() {
  static const char* const text = std::getenv("EMULATED_WARP_ORDER");
  return text == nullptr ? 0 : std::atoi(text);
}

/// EMULATED_BLOCK_RACES=allowed, for ceilings whose blocks write what others write or read.
bool blocks_may_race() {
  static const char* const text = std::getenv("EMULATED_BLOCK_RACES");
  return text != nullptr && std::strcmp(text, "allowed") == 0;
}

std::size_t shared_limit(const Kernel& kernel, const Function& function) {
  return kernel.dynamic_shared_limit != 0 ? kernel.dynamic_shared_limit
                                          : device().properties.sharedMemPerBlock - function.static_shared_bytes;
}

/// Answers with `body(kernel, function)`, or why there is no such kernel.
template <class Body>
cudaError_t answer_with(const void* address, Body&& body) {
  return answer([&] {
    check_replacement();
    Kernel* const kernel = kernel_at(address);
    if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
    Function* const function = kernel->function();
    if (function != nullptr) return body(*kernel, *function);
    return refuse(cudaErrorNoKernelImageForDevice, "no PTX for " + device().arch + " has kernel " + kernel->name);
  });
}

/// cudaSuccess, or why the device would not launch it.
cudaError_t check_configuration(const Kernel& kernel, const Function& function, const Configuration& with) {
  const cudaDeviceProp& limits = device().properties;
  const auto fits = [](const dim3& extent, const int(&most)[3]) {
    const auto inside = [](unsigned value, int limit) { return value >= 1 && value <= static_cast<unsigned>(limit); };
    return inside(extent.x, most[0]) && inside(extent.y, most[1]) && inside(extent.z, most[2]);
  };
  const std::uint64_t threads = std::uint64_t{with.block.x} * with.block.y * with.block.z;
  if (!fits(with.grid, limits.maxGridSize) || !fits(with.block, limits.maxThreadsDim) || threads > 1024) {
    return refuse(cudaErrorInvalidConfiguration, "no such grid or block: " + kernel.name);
  }
  if (threads > function.max_threads) {
    return refuse(cudaErrorLaunchOutOfResources, std::to_string(threads) + " threads of a kernel for at most " +
                                                     std::to_string(function.max_threads) + ": " + kernel.name);
  }
  if (with.shared_bytes > shared_limit(kernel, function)) {
    return refuse(cudaErrorInvalidValue, std::to_string(with.shared_bytes) + " bytes of shared memory of at most " +
                                             std::to_string(shared_limit(kernel, function)) + ": " + kernel.name);
  }
  return cudaSuccess;
}

cudaError_t launch(const Kernel& kernel, Function& function, const Configuration& with, void** arguments) {
  if (const cudaError_t error = check_configuration(kernel, function, with); error != cudaSuccess) return error;
  Launch it{&function,
            {with.grid.x, with.grid.y, with.grid.z},
            {with.block.x, with.block.y, with.block.z},
            std::vector<std::byte>(function.parameter_bytes),
            with.shared_bytes,
            warp_order(),
            blocks_may_race()};
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    std::memcpy(it.parameters.data() + function.parameters[i].offset, arguments[i], function.parameters[i].size);
  }
  return enqueue(with.stream, [it = std::move(it)] { run(it); });
}

}  // namespace
}  // namespace gable::emulated

using namespace gable::emulated;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, CUstream_st* stream) {
  pushed().push_back({grid, block, shared_bytes, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
  const Configuration last = pushed().back();
  pushed().pop_back();
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

/// The handle of a kernel is its address.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* address) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(address));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* address, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                             cudaStream_t stream) {
  return answer_with(address, [&](const Kernel& kernel, Function& function) {
    return launch(kernel, function, {grid, block, shared_bytes, stream}, arguments);
  });
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                               cudaStream_t stream) {
  return cudaLaunchKernel(static_cast<const void*>(kernel), grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* address) {
  return answer_with(address, [&](const Kernel& kernel, const Function& function) {
    *attributes = {};
    attributes->sharedSizeBytes = function.static_shared_bytes;
    attributes->localSizeBytes = function.local_bytes;
    attributes->maxThreadsPerBlock = static_cast<int>(function.max_threads);
    attributes->numRegs = registers_of_a_thread;
    attributes->ptxVersion = attributes->binaryVersion = device().number;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(shared_limit(kernel, function));
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* address, cudaFuncAttribute attribute, int value) {
  return answer_with(address, [&](Kernel& kernel, const Function& function) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaErrorNotSupported;
    const std::size_t most = device().properties.sharedMemPerBlockOptin - function.static_shared_bytes;
    if (value < 0 || static_cast<std::size_t>(value) > most) return cudaErrorInvalidValue;
    kernel.dynamic_shared_limit = static_cast<std::size_t>(value);
    return cudaSuccess;
  });
}

/// By threads, registers and shared memory.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* address, int threads,
                                                          std::size_t dynamic_shared_bytes) {
  return answer_with(address, [&](const Kernel&, const Function& function) {
    if (threads < 1) return cudaErrorInvalidValue;
    const cudaDeviceProp& it = device().properties;
    const int threads_of_warps = (threads + warp_size - 1) / warp_size * warp_size;
    const std::size_t shared = function.static_shared_bytes + dynamic_shared_bytes + it.reservedSharedMemPerBlock;
    *blocks = std::min({it.maxBlocksPerMultiProcessor, it.maxThreadsPerMultiProcessor / threads_of_warps,
                        it.regsPerMultiprocessor / (registers_of_a_thread * threads_of_warps),
                        static_cast<int>(it.sharedMemPerMultiprocessor / shared)});
    if (threads > static_cast<int>(function.max_threads)) *blocks = 0;
    return cudaSuccess;
  });
}

}  // extern "C"
