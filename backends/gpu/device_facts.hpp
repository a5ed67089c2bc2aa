#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"

namespace gable::gpu {

/// What the vendor's runtime says of one GPU. Plain data, so that what follows from it can be tested without a GPU.
struct DeviceFacts {
  int index{};  ///< as the runtime counts in this process, after CUDA_VISIBLE_DEVICES and the like
  std::string name;
  std::string uuid;
  std::string pci_bus;
  std::string isa;       ///< sm_90, gfx942
  int major{}, minor{};  ///< compute capability; 0 where the vendor has none
  int multiprocessors{};
  double clock_hz{};         ///< highest of the multiprocessors; 0 if unknown
  double memory_clock_hz{};  ///< two transfers a cycle; 0 if unknown
  int memory_bus_bits{};
  double memory_bytes{};
  double free_memory_bytes{};       ///< 0 if unknown; of a slice, that of the whole GPU
  std::string free_memory_unknown;  ///< why it is
  double l2_bytes{};                ///< of the whole device
  int l2_instances{1};              ///< parts that keep copies of their own, one for each die of multiprocessors
  std::string l2_source;            ///< of its size, where that is not the runtime
  double infinity_cache_bytes{};    ///< cache of the memory's side, which all dies share; 0 where there is none
  std::string infinity_cache_source;
  double shared_per_multiprocessor_bytes{};
  double shared_per_block_bytes{};  ///< most that one block can have
  int registers_per_multiprocessor{};
  int copy_engines{};
  bool ecc{};
  std::optional<std::string> emulator;  ///< as in DeviceInfo
  std::string compute_partition;        ///< SPX, DPX, CPX …; empty where unknown or where there is none
  std::string memory_partition;         ///< NPS1, NPS4 …; the same
};

/// A variable of the environment that hides devices.
struct Mask {
  std::string variable;              ///< CUDA_VISIBLE_DEVICES
  std::optional<std::string> value;  ///< nothing if it is not set
};

/// What the runtime says of this process: its devices, or why there are none.
struct Inventory {
  std::vector<DeviceFacts> devices;
  std::string error;            ///< the runtime's or driver's own words; empty if it answered
  bool driver_too_old{};        ///< the error is that
  std::string driver_version;   ///< as people write it, 13.0; empty without a driver
  std::string runtime_version;  ///< of the runtime this was built with
  std::vector<Mask> masks;
  std::string timing_remark;  ///< on variables of the environment that change times; empty if none is set
};

/// What a worker was built as.
struct BuiltFor {
  std::string backend;  ///< cuda, hip
  std::string runtime;  ///< as people write it: CUDA, HIP
  std::string vendor;   ///< as the catalogue writes it
  std::string arch;     ///< 80, 90a, 100, gfx942
};

}  // namespace gable::gpu
