#include "backends/gpu/device_query.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "nvml.hpp"

namespace gable::gpu {
namespace {

constexpr const char* mask_variable = "CUDA_VISIBLE_DEVICES";

/// An attribute of the device; 0 if the runtime does not give it.
int attribute(cudaDeviceAttr which, int index) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, index) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return value;
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// CUDA 13 has no clocks in cudaDeviceProp any more; the attributes have them, in kHz.
DeviceFacts facts_of(int index, const cudaDeviceProp& properties) {
  constexpr double kilohertz = 1e3;
  DeviceFacts facts;
  facts.index = index;
  facts.name = properties.name;
  facts.uuid = uuid_text(properties.uuid);
  char bus[16] = {};
  if (cudaDeviceGetPCIBusId(bus, sizeof bus, index) == cudaSuccess) facts.pci_bus = bus;
  facts.major = properties.major;
  facts.minor = properties.minor;
  facts.isa = fmt::format("sm_{}{}", properties.major, properties.minor);
  facts.multiprocessors = properties.multiProcessorCount;
  facts.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  facts.warp_size = properties.warpSize;
  facts.clock_hz = kilohertz * attribute(cudaDevAttrClockRate, index);
  facts.memory_clock_hz = kilohertz * attribute(cudaDevAttrMemoryClockRate, index);
  facts.memory_bus_bits = properties.memoryBusWidth;
  facts.memory_bytes = static_cast<double>(properties.totalGlobalMem);
  facts.l2_bytes = properties.l2CacheSize;
  facts.shared_per_multiprocessor_bytes = static_cast<double>(properties.sharedMemPerMultiprocessor);
  facts.shared_per_block_bytes = static_cast<double>(properties.sharedMemPerBlockOptin);
  facts.registers_per_multiprocessor = properties.regsPerMultiprocessor;
  facts.copy_engines = properties.asyncEngineCount;
  facts.ecc = properties.ECCEnabled != 0;
  facts.integrated = properties.integrated != 0;
  return facts;
}

/// The runtime would make a context to answer, which takes hundreds of MB of every device; NVML makes none.
void ask_free_memory(DeviceFacts& facts) {
  const auto& nvml = Nvml::instance();
  Nvml::Device device{};
  Nvml::Memory memory{};
  if (!nvml.missing().empty()) {
    facts.free_memory_unknown = nvml.missing();
  } else if (Nvml::tells(nvml.handle_by_pci_bus, facts.pci_bus.c_str(), &device) &&
             Nvml::tells(nvml.memory_info, device, &memory)) {
    facts.free_memory_bytes = static_cast<double>(memory.free);
  } else {
    facts.free_memory_unknown = "NVML does not tell";
  }
}

}  // namespace

BuiltFor built_for() { return {"cuda", "CUDA", "NVIDIA", GABLE_GPU_ARCH, mask_variable}; }

Inventory query_devices() {
  Inventory inventory;
  if (const char* mask = std::getenv(mask_variable)) inventory.mask = mask;
  cudaDriverGetVersion(&inventory.driver_version);
  cudaRuntimeGetVersion(&inventory.runtime_version);
  int count = 0;
  const auto result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess) {
    inventory.error = cudaGetErrorString(result);
    inventory.driver_too_old = result == cudaErrorInsufficientDriver;
    return inventory;
  }
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    const auto asked = cudaGetDeviceProperties(&properties, index);
    if (asked != cudaSuccess) {
      inventory.error = fmt::format("device {}: {}", index, cudaGetErrorString(asked));
      continue;
    }
    auto facts = facts_of(index, properties);
    ask_free_memory(facts);
    inventory.devices.push_back(std::move(facts));
  }
  return inventory;
}

}  // namespace gable::gpu
