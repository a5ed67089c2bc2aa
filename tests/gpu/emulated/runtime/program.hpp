#pragma once
#include <cstddef>
#include <string>

#include "tests/gpu/emulated/runtime/fat_binary.hpp"

namespace gable::emulated {

/// A kernel as the host knows it.
struct Kernel {
  FatBinary* binary;
  std::string name;
  std::size_t dynamic_shared_limit = 0;  ///< bytes that the program asked for (cudaFuncSetAttribute); 0: it has not

  /// Decoded. Null if the program has no PTX for the device. Throws EmulationError.
  Function* function() const;
};

/// A variable of the device as the host knows it.
struct DeviceVariable {
  FatBinary* binary;
  std::string name;

  /// Null if the program has no PTX for the device. Throws EmulationError.
  Variable* variable() const;
};

/// Of the addresses that the host knows them by. Null if nothing was registered there.
Kernel* kernel_at(const void* host_address);
DeviceVariable* variable_at(const void* host_address);

}  // namespace gable::emulated
