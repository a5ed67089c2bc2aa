#include "tests/gpu/emulated/runtime/device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "tests/gpu/emulated/machine/global_memory.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/runtime/answer.hpp"

namespace gable::emulated {
namespace {

constexpr std::size_t kibi = 1024;
constexpr std::size_t total_memory = 4 * kibi * kibi * kibi;
constexpr int clock_khz = 1000000, memory_clock_khz = 1000000;

struct Arch {
  const char* name;
  int major;
  std::size_t shared_memory, l2_cache;  ///< bytes of a multiprocessor and of the device (CUDA C++ Programming Guide)
};
constexpr Arch archs[] = {{"80", 8, 164 * kibi, 40 * kibi* kibi},
                          {"90a", 9, 228 * kibi, 50 * kibi* kibi},
                          {"100", 10, 228 * kibi, 126 * kibi* kibi}};

const Arch& chosen_arch() {
  const char* name = std::getenv("EMULATED_ARCH");
  if (name == nullptr) name = "90a";
  for (const Arch& arch : archs) {
    if (std::strcmp(arch.name, name) == 0) return arch;
  }
  reject(std::string("EMULATED_ARCH is '") + name + "'; it can be 80, 90a or 100");
}

int chosen_multiprocessors() {
  const char* text = std::getenv("EMULATED_MULTIPROCESSORS");
  if (text == nullptr) return 4;
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (*end != '\0' || count < 1 || count > 1024) {
    reject(std::string("EMULATED_MULTIPROCESSORS is '") + text + "'; it can be 1 to 1024");
  }
  return static_cast<int>(count);
}

cudaDeviceProp properties_of(const Arch& arch) {
  cudaDeviceProp it{};
  std::snprintf(it.name, sizeof it.name, "emulated NVIDIA sm_%s", arch.name);
  std::memcpy(it.uuid.bytes, "emulated device", sizeof it.uuid.bytes);
  it.totalGlobalMem = total_memory;
  it.totalConstMem = 64 * kibi;
  it.reservedSharedMemPerBlock = kibi;
  it.sharedMemPerBlock = 48 * kibi;
  it.sharedMemPerMultiprocessor = arch.shared_memory;
  it.sharedMemPerBlockOptin = arch.shared_memory - it.reservedSharedMemPerBlock;
  it.regsPerBlock = it.regsPerMultiprocessor = 65536;
  it.warpSize = warp_size;
  it.maxThreadsPerBlock = 1024;
  it.maxThreadsPerMultiProcessor = 2048;
  it.maxBlocksPerMultiProcessor = 32;
  it.maxThreadsDim[0] = it.maxThreadsDim[1] = 1024;
  it.maxThreadsDim[2] = 64;
  it.maxGridSize[0] = 2147483647;
  it.maxGridSize[1] = it.maxGridSize[2] = 65535;
  it.major = arch.major;
  it.multiProcessorCount = chosen_multiprocessors();
  it.l2CacheSize = static_cast<int>(arch.l2_cache);
  it.memoryBusWidth = 5120;
  it.asyncEngineCount = 1;
  it.concurrentKernels = it.unifiedAddressing = it.managedMemory = it.concurrentManagedAccess = 1;
  return it;
}

bool is_device(int index) { return index == 0; }

}  // namespace

void reject(const std::string& reason) {
  say(reason);
  std::fflush(nullptr);
  std::_Exit(2);
}

const Device& device() {
  static const Device& it = *new Device{chosen_arch().name, 10 * chosen_arch().major, properties_of(chosen_arch())};
  return it;
}

}  // namespace gable::emulated

using namespace gable::emulated;

extern "C" {

/// Programs find by dlsym() that their device is emulated, and as what.
extern char gable_emulated_device[sizeof(cudaDeviceProp::name)];
char gable_emulated_device[sizeof(cudaDeviceProp::name)];
__attribute__((constructor)) static void name_device() {
  std::memcpy(gable_emulated_device, device().properties.name, sizeof gable_emulated_device);
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* index) {
  return answer([=] { return *index = 0, cudaSuccess; });
}
cudaError_t cudaSetDevice(int index) {
  return answer([=] { return is_device(index) ? cudaSuccess : cudaErrorInvalidDevice; });
}
cudaError_t cudaDeviceSynchronize() {
  return answer([] { return cudaSuccess; });
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  return answer([=] {
    if (!is_device(index)) return cudaErrorInvalidDevice;
    *properties = device().properties;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  return answer([=] {
    if (!is_device(index)) return cudaErrorInvalidDevice;
    const cudaDeviceProp& it = device().properties;
    switch (attribute) {
      case cudaDevAttrComputeCapabilityMajor:
        *value = it.major;
        break;
      case cudaDevAttrComputeCapabilityMinor:
        *value = it.minor;
        break;
      case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = static_cast<int>(it.sharedMemPerBlock);
        break;
      case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(it.sharedMemPerBlockOptin);
        break;
      case cudaDevAttrMultiProcessorCount:
        *value = it.multiProcessorCount;
        break;
      case cudaDevAttrMaxThreadsPerBlock:
        *value = it.maxThreadsPerBlock;
        break;
      case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = it.maxThreadsPerMultiProcessor;
        break;
      case cudaDevAttrWarpSize:
        *value = it.warpSize;
        break;
      case cudaDevAttrClockRate:
        *value = clock_khz;
        break;
      case cudaDevAttrMemoryClockRate:
        *value = memory_clock_khz;
        break;
      case cudaDevAttrConcurrentManagedAccess:
        *value = it.concurrentManagedAccess;
        break;
      case cudaDevAttrPageableMemoryAccess:
        *value = 0;
        break;
      case cudaDevAttrMemoryPoolsSupported:
        *value = 0;
        break;
      default:
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int index) {
  return answer([=] {
    if (!is_device(index)) return cudaErrorInvalidDevice;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:00:00.0");
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* unused, std::size_t* total) {
  return answer([=] {
    *total = total_memory;
    *unused = total_memory - std::min(total_memory, allocated_bytes());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  return answer([=] { return *can = 0, cudaSuccess; });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return answer([] { return cudaErrorPeerAccessUnsupported; });
}

/// Limits are remembered; no memory depends on them.
static std::map<cudaLimit, std::size_t>& limits() {
  static auto& it = *new std::map<cudaLimit, std::size_t>{{cudaLimitStackSize, kibi}};
  return it;
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return answer([=] { return limits()[limit] = value, cudaSuccess; });
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return answer([=] { return *value = limits()[limit], cudaSuccess; });
}

}  // extern "C"
