// The worker of a GPU: one backend, one Kokkos, the operators built for it. Started by gable, never by hand.
#include <memory>
#include <utility>

#include "backends/gpu/gpu_backend.hpp"
#include "backends/gpu/library.hpp"
#include "backends/kokkos/items.hpp"
#include "backends/kokkos/runtime.hpp"
#include "core/operator.hpp"
#include "core/questions/experiment/experiment.hpp"
#include "core/result/provenance.hpp"
#include "core/text/posix_file.hpp"
#include "core/worker/serve.hpp"

namespace {

using namespace gable;

/// The GPU with Kokkos on the device that was opened.
class KokkosOnGpu final : public gpu::GpuBackend {
 public:
  KokkosOnGpu() : GpuBackend([](const auto&... opened) { return kokkos::items(opened...); }) {}
  void open(const DeviceInfo& device, const Request& request) override {
    GpuBackend::open(device, request);
    runtime_ = std::make_unique<kokkos::Runtime>(0, device_index());
  }

 private:
  std::unique_ptr<kokkos::Runtime> runtime_;
};

Build worker_build() {
  Build build = result::this_build();
  build.target = GABLE_TARGET;
  build.libraries.emplace_back("Kokkos", kokkos::version());
  for (auto& library : gpu::library_versions()) build.libraries.push_back(std::move(library));
  return build;
}

}  // namespace

int main() {
  gable::open_standard_descriptors();
  KokkosOnGpu backend;
  return worker::serve(backend, operator_entries(), experiment::cases_of, GABLE_WORKER_NAME, worker_build());
}
