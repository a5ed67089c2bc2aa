// Memory of the device, copies, and variables of the device.
#include <cuda_runtime_api.h>

#include <cstring>
#include <map>

#include "tests/gpu/emulated/machine/global_memory.hpp"
#include "tests/gpu/emulated/runtime/answer.hpp"
#include "tests/gpu/emulated/runtime/device.hpp"
#include "tests/gpu/emulated/runtime/program.hpp"
#include "tests/gpu/emulated/runtime/stream.hpp"

namespace gable::emulated {
namespace {

/// What the program has allocated, by address. Kernels reach all of it, as with unified addresses. Never destroyed:
/// programs call the runtime while they end.
auto& allocations() {
  static auto& it = *new std::map<const void*, cudaMemoryType>;
  return it;
}

cudaError_t allocate_as(cudaMemoryType type, void** memory, std::size_t bytes) {
  return answer([=] {
    *memory = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (bytes > device().properties.totalGlobalMem - allocated_bytes()) return cudaErrorMemoryAllocation;
    allocations()[*memory = allocate(bytes)] = type;
    return cudaSuccess;
  });
}

cudaError_t release_as(bool is_host, void* memory) {
  return answer([=] {
    if (memory == nullptr) return cudaSuccess;
    const auto found = allocations().find(memory);
    if (found == allocations().end() || (found->second == cudaMemoryTypeHost) != is_host) {
      return refuse(cudaErrorInvalidValue, "what is released was not allocated, or otherwise");
    }
    allocations().erase(found);
    release(memory);
    return cudaSuccess;
  });
}

/// Whether `bytes` may be accessed at an address: what lies on the device, which `on_device` demands, lies in one
/// allocation.
bool is_accessible(const void* address, std::size_t bytes, bool on_device) {
  const auto number = reinterpret_cast<std::uint64_t>(address);
  return bytes == 0 || is_allocated(number, bytes) || (!on_device && !is_allocated(number, 1));
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return answer([=] {
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (is_accessible(to, bytes, to_device) && is_accessible(from, bytes, from_device)) {
      return enqueue(stream, [=] { std::memmove(to, from, bytes); });
    }
    return refuse(cudaErrorInvalidValue, "a copy of " + std::to_string(bytes) + " bytes outside of an allocation");
  });
}

cudaError_t set(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return answer([=] {
    if (is_accessible(to, bytes, true)) return enqueue(stream, [=] { std::memset(to, value, bytes); });
    return refuse(cudaErrorInvalidValue, "a memset of " + std::to_string(bytes) + " bytes outside of an allocation");
  });
}

}  // namespace
}  // namespace gable::emulated

using namespace gable::emulated;

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) { return allocate_as(cudaMemoryTypeDevice, memory, bytes); }
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned) {
  return allocate_as(cudaMemoryTypeManaged, memory, bytes);
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) { return allocate_as(cudaMemoryTypeHost, memory, bytes); }
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) { return cudaMallocHost(memory, bytes); }
cudaError_t cudaFree(void* memory) { return release_as(false, memory); }
cudaError_t cudaFreeHost(void* memory) { return release_as(true, memory); }

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy(to, from, bytes, kind, stream);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t stream) {
  return copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return set(to, value, bytes, stream);
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) { return set(to, value, bytes, nullptr); }

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return answer([=] {
    const Variable* variable = variable_at(symbol);
    if (variable == nullptr) return cudaErrorInvalidSymbol;
    if (offset > variable->size || bytes > variable->size - offset) {
      return refuse(cudaErrorInvalidValue, "a copy outside of a variable of the device");
    }
    return copy(variable->storage + offset, from, bytes, kind, stream);
  });
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return answer([=] {
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -1;
    attributes->hostPointer = const_cast<void*>(address);
    auto next = allocations().upper_bound(address);
    if (next == allocations().begin() || !is_allocated(reinterpret_cast<std::uint64_t>(address), 1)) return cudaSuccess;
    *attributes = {std::prev(next)->second, 0, const_cast<void*>(address), const_cast<void*>(address), {}};
    if (attributes->type == cudaMemoryTypeDevice) attributes->hostPointer = nullptr;
    return cudaSuccess;
  });
}

/// A hint that changes nothing here.
cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return cudaSuccess;
}

}  // extern "C"
