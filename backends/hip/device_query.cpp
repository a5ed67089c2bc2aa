#include "backends/gpu/inventory.hpp"

#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <iterator>

#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/vendor_facts.hpp"
#include "backends/hip/system_facts.hpp"

namespace gable::gpu {
namespace {

/// HIP's bytes are the characters of the device's serial number.
std::string uuid_text(const hipUUID& uuid) {
  const auto* end = std::find(std::begin(uuid.bytes), std::end(uuid.bytes), '\0');
  return end == uuid.bytes ? "" : "GPU-" + std::string(uuid.bytes, end);
}

}  // namespace

BuiltFor built_for() { return {"hip", "HIP", "AMD", GABLE_GPU_ARCH}; }

double tick_hz() {
  int device = 0, khz = 0;
  hipDeviceProp_t properties{};
  check(hipGetDevice(&device), "asking for the current device");
  if (hipDeviceGetAttribute(&khz, hipDeviceAttributeWallClockRate, device) != hipSuccess) khz = 0;
  check(hipGetDeviceProperties(&properties, device), "asking for the device's properties");
  return tick_hz_of(architecture(properties.gcnArchName), khz);
}

/// The counter moves tick by tick. A grid has many blocks behind one another, and only the first one stamps.
double least_clock_window_s() { return 1e3 / tick_hz(); }

/// HIP applies its own, and CUDA's where that is not set, to what the ROCm runtime's leaves.
std::vector<std::string> mask_variables() {
  return {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"};
}

std::vector<std::string> timing_variables() {
  return {"HIP_LAUNCH_BLOCKING", "AMD_SERIALIZE_KERNEL", "AMD_SERIALIZE_COPY", "AMD_LOG_LEVEL",
          "GPU_MAX_HW_QUEUES",   "HSA_ENABLE_SDMA",      "HSA_XNACK",          "HSA_TOOLS_LIB",
          "HSA_CU_MASK",         "ROC_GLOBAL_CU_MASK",   "LD_PRELOAD",         "KOKKOS_TOOLS_LIBS"};
}

std::string version_text(int version) { return hip_version_text(version); }

void add_vendor_facts(DeviceFacts& facts, const DeviceProperties& properties) {
  constexpr double kilohertz = 1e3;
  facts.uuid = uuid_text(properties.uuid);
  facts.isa = architecture(properties.gcnArchName);
  facts.multiprocessors = compute_units(facts.isa, properties.multiProcessorCount);
  facts.clock_hz = kilohertz * properties.clockRate;
  // HBM2 moves twice a cycle of this clock; of HBM3 and GDDR6 the runtime gives another one.
  if (facts.isa == "gfx908" || facts.isa == "gfx90a") facts.memory_clock_hz = kilohertz * properties.memoryClockRate;
  facts.shared_per_multiprocessor_bytes = static_cast<double>(properties.maxSharedMemoryPerMultiProcessor);
  facts.shared_per_block_bytes = static_cast<double>(properties.sharedMemPerBlock);
  add_system_facts(facts, read_system_facts("/sys", facts.pci_bus));
}

}  // namespace gable::gpu
