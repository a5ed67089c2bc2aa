#include "backends/gpu/inventory.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "backends/gpu/loaded_library.hpp"
#include "backends/gpu/vendor_facts.hpp"
#include "nvml.hpp"

namespace gable::gpu {
namespace {

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

/// To answer, the runtime would make a context of hundreds of MB on every device; NVML makes none.
void ask_free_memory(DeviceFacts& facts) {
  const auto& nvml = Nvml::instance();
  Nvml::Device device{};
  Nvml::Memory memory{};
  if (!nvml.missing().empty()) {
    facts.free_memory_unknown = nvml.missing();
  } else if (tells(nvml.handle_by_pci_bus, facts.pci_bus.c_str(), &device) &&
             tells(nvml.memory_info, device, &memory)) {
    facts.free_memory_bytes = static_cast<double>(memory.free);
  } else {
    facts.free_memory_unknown = "NVML does not tell";
  }
}

}  // namespace

BuiltFor built_for() { return {"cuda", "CUDA", "NVIDIA", GABLE_GPU_ARCH}; }

/// PTX's %globaltimer counts nanoseconds.
double tick_hz() { return 1e9; }
/// The counter moves in steps of up to a microsecond.
double least_clock_window_s() { return 2e-4; }

std::vector<std::string> mask_variables() { return {"CUDA_VISIBLE_DEVICES"}; }

std::vector<std::string> timing_variables() {
  return {"CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_FORCE_PTX_JIT", "CUDA_INJECTION64_PATH",
          "NVIDIA_TF32_OVERRIDE", "CUBLAS_WORKSPACE_CONFIG",     "LD_PRELOAD",         "KOKKOS_TOOLS_LIBS"};
}

/// The numbering of CUDA_VERSION: 13000 is 13.0.
std::string version_text(int version) {
  return version > 0 ? fmt::format("{}.{}", version / 1000, version % 1000 / 10) : "";
}

/// CUDA 13 has no clocks in cudaDeviceProp any more; the attributes have them, in kHz.
void add_vendor_facts(DeviceFacts& facts, const DeviceProperties& properties) {
  constexpr double kilohertz = 1e3;
  facts.uuid = uuid_text(properties.uuid);
  facts.major = properties.major;
  facts.minor = properties.minor;
  facts.isa = fmt::format("sm_{}{}", properties.major, properties.minor);
  facts.clock_hz = kilohertz * attribute(cudaDevAttrClockRate, facts.index);
  facts.memory_clock_hz = kilohertz * attribute(cudaDevAttrMemoryClockRate, facts.index);
  ask_free_memory(facts);
}

}  // namespace gable::gpu
