#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "backends/mpi/collective_library.hpp"
#include "backends/mpi/device_runtime.hpp"

namespace gable::mpi {

/// Why the MPI library takes no pointers to this vendor's memory; empty where it says that it does. It is asked when
/// the program runs: Open MPI and MPICH by MPIX_Query_…_support, Cray's by the variable MPICH_GPU_SUPPORT_ENABLED.
std::string why_not_by_mpi(DeviceVendor vendor);

/// What a rank has of a device: two buffers, and the vendor's collectives once they are opened.
struct DeviceBuffers {
  DeviceRuntime runtime{};
  std::size_t bytes{};
  void* sent{};
  void* received{};
  std::optional<CollectiveLibrary> library{};

  /// Of the device of the rank's place among the ranks of its node; where there are more of them several share one.
  /// Throws Error where there is no device, or too little memory.
  DeviceBuffers(std::size_t size, int place_on_node);
  ~DeviceBuffers();
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;
};

}  // namespace gable::mpi
