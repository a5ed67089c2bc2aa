#pragma once
#include <cuda_runtime_api.h>

#include <string>

namespace gable::emulated {

/// The emulated device. EMULATED_ARCH (80, 90a, 100; default 90a) is its architecture, EMULATED_MULTIPROCESSORS
/// (default 4, so that launches stay small) how many multiprocessors it has. Others end the process with exit code 2.
struct Device {
  std::string arch;  ///< 90a
  int number;        ///< 90
  cudaDeviceProp properties;
};
const Device& device();

/// One line on stderr and exit code 2.
[[noreturn]] void reject(const std::string& reason);

}  // namespace gable::emulated
