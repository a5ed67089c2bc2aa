#pragma once
#include <utility>
#include <vector>

#include "backends/gpu/device_facts.hpp"

namespace gable::gpu::test {

inline BuiltFor cuda_90a() { return {"cuda", "CUDA", "NVIDIA", "90a", "CUDA_VISIBLE_DEVICES"}; }

/// An H200 as the CUDA runtime describes it.
inline DeviceFacts h200(int index = 0) {
  DeviceFacts device;
  device.index = index;
  device.name = "NVIDIA H200";
  device.uuid = "GPU-01020304-0506-0708-090a-0b0c0d0e0f10";
  device.pci_bus = "0000:18:00.0";
  device.isa = "sm_90";
  device.major = 9;
  device.minor = 0;
  device.multiprocessors = 132;
  device.threads_per_multiprocessor = 2048;
  device.warp_size = 32;
  device.clock_hz = 1.98e9;
  device.memory_clock_hz = 3.201e9;
  device.memory_bus_bits = 6144;
  device.memory_bytes = 150.1e9;
  device.free_memory_bytes = 149.5e9;
  device.l2_bytes = 50.0 * 1024 * 1024;
  device.shared_per_multiprocessor_bytes = 233472;
  device.shared_per_block_bytes = 232448;
  device.registers_per_multiprocessor = 65536;
  device.copy_engines = 3;
  device.ecc = true;
  return device;
}

inline DeviceFacts a100(int index = 0) {
  auto device = h200(index);
  device.name = "NVIDIA A100-SXM4-80GB";
  device.isa = "sm_80";
  device.major = 8;
  device.multiprocessors = 108;
  device.clock_hz = 1.41e9;
  device.memory_clock_hz = 1.593e9;
  device.memory_bus_bits = 5120;
  device.memory_bytes = 85.1e9;
  device.l2_bytes = 40.0 * 1024 * 1024;
  return device;
}

inline DeviceFacts slice_of_h200() {
  auto device = h200();
  device.name = "NVIDIA H200 MIG 1g.18gb";
  device.multiprocessors = 16;
  device.memory_bytes = 17e9;
  return device;
}

inline Inventory inventory_of(std::vector<DeviceFacts> devices) {
  Inventory inventory;
  inventory.devices = std::move(devices);
  inventory.driver_version = 13000;
  inventory.runtime_version = 13000;
  return inventory;
}

}  // namespace gable::gpu::test
