#include "tests/gpu/emulated/runtime/device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/gpu/emulated/machine/global_memory.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/runtime/answer.hpp"

namespace gable::emulated {
namespace {

constexpr std::size_t kibi = 1024;

struct Arch {
  const char* name;
  int major;
  std::size_t shared_memory, l2_cache;  ///< bytes of a multiprocessor and of the device (CUDA C++ Programming Guide)
};
constexpr Arch archs[] = {{"80", 8, 164 * kibi, 40 * kibi* kibi},
                          {"90a", 9, 228 * kibi, 50 * kibi* kibi},
                          {"100", 10, 228 * kibi, 126 * kibi* kibi}};

const char* environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

const Arch& chosen_arch() {
  const char* name = environment("EMULATED_ARCH", "90a");
  for (const Arch& arch : archs) {
    if (std::strcmp(arch.name, name) == 0) return arch;
  }
  reject(std::string("EMULATED_ARCH is '") + name + "'; it can be 80, 90a or 100");
}

int chosen_multiprocessors() {
  const char* text = environment("EMULATED_MULTIPROCESSORS", "4");
  const int count = std::atoi(text);
  if (count >= 1 && count <= 1024 && std::to_string(count) == text) return count;
  reject(std::string("EMULATED_MULTIPROCESSORS is '") + text + "'; it can be 1 to 1024");
}

cudaDeviceProp properties_of(const Arch& arch) {
  cudaDeviceProp it{};
  std::snprintf(it.name, sizeof it.name, "emulated NVIDIA sm_%s", arch.name);
  std::memcpy(it.uuid.bytes, "emulated device", sizeof it.uuid.bytes);
  it.totalGlobalMem = 4 * kibi * kibi * kibi;
  it.totalConstMem = 64 * kibi;
  it.reservedSharedMemPerBlock = kibi;
  it.sharedMemPerBlock = 48 * kibi;
  it.sharedMemPerMultiprocessor = arch.shared_memory;
  it.sharedMemPerBlockOptin = arch.shared_memory - it.reservedSharedMemPerBlock;
  it.regsPerBlock = it.regsPerMultiprocessor = 65536;
  it.warpSize = warp_size;
  it.maxThreadsPerBlock = it.maxThreadsDim[0] = it.maxThreadsDim[1] = 1024;
  it.maxThreadsDim[2] = 64;
  it.maxThreadsPerMultiProcessor = 2048;
  it.maxBlocksPerMultiProcessor = 32;
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

cudaError_t check(int index) { return index == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

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

cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int* index) { return *index = 0, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = CUDART_VERSION, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) { return *can = 0, cudaSuccess; }

cudaError_t cudaSetDevice(int index) {
  return answer([=] { return check(index); });
}
cudaError_t cudaDeviceSynchronize() {
  return answer([] { return cudaSuccess; });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return answer([] { return cudaErrorPeerAccessUnsupported; });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  *properties = device().properties;
  return cudaSetDevice(index);
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int index) {
  std::snprintf(text, static_cast<std::size_t>(length), "0000:00:00.0");
  return cudaSetDevice(index);
}
cudaError_t cudaMemGetInfo(std::size_t* unused, std::size_t* total) {
  *total = device().properties.totalGlobalMem;
  *unused = *total - std::min(*total, allocated_bytes());
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int index) {
  constexpr int khz = 1000000;
  static constexpr std::pair<cudaDeviceAttr, int> known[] = {{cudaDevAttrClockRate, khz},
                                                             {cudaDevAttrMemoryClockRate, khz},
                                                             {cudaDevAttrConcurrentManagedAccess, 1},
                                                             {cudaDevAttrMemoryPoolsSupported, 0}};
  return answer([=] {
    for (const auto& [one, its_value] : known) {
      if (one == attribute) return *value = its_value, check(index);
    }
    return cudaErrorNotSupported;
  });
}

}  // extern "C"
