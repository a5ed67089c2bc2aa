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

/// Of the addresses that the host knows them by. Null if nothing was registered there; a variable also if the program
/// has no PTX for the device. Throw EmulationError.
Kernel* kernel_at(const void* host_address);
Variable* variable_at(const void* host_address);

}  // namespace gable::emulated
