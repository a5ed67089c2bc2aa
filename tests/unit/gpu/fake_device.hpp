#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/gpu/device_facts.hpp"

namespace gable::gpu::test {

inline BuiltFor cuda_90a() { return {"cuda", "CUDA", "NVIDIA", "90a"}; }
inline BuiltFor hip(const std::string& arch) { return {"hip", "HIP", "AMD", arch}; }
/// A build for this device.
inline BuiltFor build_of(const DeviceFacts& device) {
  return device.isa.starts_with("gfx") ? hip(device.isa) : cuda_90a();
}

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

inline DeviceFacts b200(int index = 0) {
  auto device = h200(index);
  device.name = "NVIDIA B200";
  device.isa = "sm_100";
  device.major = 10;
  device.multiprocessors = 148;
  device.clock_hz = 1.965e9;
  device.memory_bytes = 192e9;
  device.free_memory_bytes = 191e9;
  device.l2_bytes = 126.0 * 1024 * 1024;
  return device;
}

inline DeviceFacts slice_of_h200() {
  auto device = h200();
  device.name = "NVIDIA H200 MIG 1g.18gb";
  device.multiprocessors = 16;
  device.memory_bytes = 17e9;
  return device;
}

/// AMD's devices as HIP and the driver describe them; figures of the vendor's data sheets and of ROCm's table of
/// architectures.
inline DeviceFacts mi210() {
  DeviceFacts device;
  device.name = "AMD Instinct MI210";
  device.uuid = "GPU-1234567890abcdef";
  device.pci_bus = "0000:c1:00.0";
  device.isa = "gfx90a";
  device.multiprocessors = 104;
  device.clock_hz = 1.7e9;
  device.memory_clock_hz = 1.6e9;
  device.memory_bus_bits = 4096;
  device.memory_bytes = 68.7e9;
  device.free_memory_bytes = 68.0e9;
  device.l2_bytes = 8.0 * 1024 * 1024;
  device.shared_per_multiprocessor_bytes = 65536;
  device.shared_per_block_bytes = 65536;
  device.registers_per_multiprocessor = 65536;
  device.ecc = true;
  return device;
}

inline DeviceFacts mi250x_die() {
  auto device = mi210();
  device.name = "AMD Instinct MI250X / MI250";
  device.multiprocessors = 110;
  return device;
}

inline DeviceFacts mi300x() {
  auto device = mi210();
  device.name = "AMD Instinct MI300X";
  device.isa = "gfx942";
  device.multiprocessors = 304;
  device.clock_hz = 2.1e9;
  device.memory_clock_hz = 0;
  device.memory_bus_bits = 8192;
  device.memory_bytes = 206.1e9;
  device.free_memory_bytes = 205.0e9;
  device.l2_bytes = 32.0 * 1024 * 1024;
  device.l2_instances = 8;
  device.infinity_cache_bytes = 256.0 * 1024 * 1024;
  device.compute_partition = "SPX";
  device.memory_partition = "NPS1";
  return device;
}

/// One of its eight partitions; the driver's free memory is of all of them.
inline DeviceFacts mi300x_cpx() {
  auto device = mi300x();
  device.multiprocessors = 38;
  device.memory_bytes = 25.8e9;
  device.l2_bytes = 4.0 * 1024 * 1024;
  device.l2_instances = 1;
  device.infinity_cache_bytes = 64.0 * 1024 * 1024;
  device.compute_partition = "CPX";
  device.memory_partition = "NPS4";
  return device;
}

inline DeviceFacts rx7900xtx() {
  auto device = mi210();
  device.name = "AMD Radeon RX 7900 XTX";
  device.isa = "gfx1100";
  device.multiprocessors = 96;
  device.clock_hz = 2.498e9;
  device.memory_clock_hz = 0;
  device.memory_bus_bits = 384;
  device.memory_bytes = 25.75e9;
  device.free_memory_bytes = 25.0e9;
  device.l2_bytes = 6.0 * 1024 * 1024;
  device.infinity_cache_bytes = 96.0 * 1024 * 1024;
  device.ecc = false;
  return device;
}

inline Inventory inventory_of(std::vector<DeviceFacts> devices) {
  Inventory inventory;
  inventory.devices = std::move(devices);
  inventory.driver_version = "13.0";
  inventory.runtime_version = "13.0";
  inventory.masks = {{"CUDA_VISIBLE_DEVICES", std::nullopt}};
  return inventory;
}

}  // namespace gable::gpu::test
