#include "backends/mpi/device_buffers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace gable::mpi {

std::string why_not_by_mpi(DeviceVendor vendor) {
  using Names = std::vector<const char*>;
  const Names names = vendor == DeviceVendor::cuda ? Names{"MPIX_Query_cuda_support"}
                                                   : Names{"MPIX_Query_rocm_support", "MPIX_Query_hip_support"};
  const char* asked = nullptr;
  for (const char* name : names) {
    const auto query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, name));
    if (!query) continue;
    if (query() != 0) return {};
    asked = name;
  }
  const char* cray = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
  if (!asked && cray && std::string_view(cray) == "1") return {};
  return asked ? fmt::format("this MPI takes no pointers to device memory: {} says so", asked)
               : "this MPI does not say that it takes pointers to device memory";
}

DeviceBuffers::DeviceBuffers(std::size_t size, int place_on_node) : bytes(size) {
  runtime.use(place_on_node % runtime.devices());
  sent = runtime.allocate(size);
  try {
    received = runtime.allocate(size);
  } catch (...) {
    runtime.release(sent);
    throw;
  }
}

DeviceBuffers::~DeviceBuffers() {
  library.reset();
  runtime.release(sent);
  runtime.release(received);
}

}  // namespace gable::mpi
