// A worker: one backend, one Kokkos, the operators built for it. Started by gable, never by hand.
#include <memory>

#include "backends/kokkos/items.hpp"
#include "backends/kokkos/runtime.hpp"
#include "backends/openmp/openmp_backend.hpp"
#include "backends/openmp/vendor_library.hpp"
#include "core/operator.hpp"
#include "core/questions/experiment/experiment.hpp"
#include "core/result/provenance.hpp"
#include "core/text/posix_file.hpp"
#include "core/worker/serve.hpp"

namespace {

using namespace gable;

/// The CPU with Kokkos on the threads that the backend has pinned.
class KokkosOnCpu final : public openmp::OpenMPBackend {
 public:
  KokkosOnCpu() : OpenMPBackend(kokkos::items) {}
  void open(const DeviceInfo& device, const Request& request) override {
    OpenMPBackend::open(device, request);
    runtime_ = std::make_unique<kokkos::Runtime>(threads());
  }

 private:
  std::unique_ptr<kokkos::Runtime> runtime_;
};

Build worker_build() {
  Build build = result::this_build();
  build.flags += " " GABLE_KERNEL_FLAGS;  // of operators and of what else runs through Kokkos
#ifdef GABLE_OWN_FLAGS
  build.flags += GABLE_OWN_FLAGS;  // of the operators of a project outside, which may be other ones
#endif
  build.target = GABLE_TARGET;
  build.libraries.emplace_back("Kokkos", kokkos::version());
  for (auto& library : openmp::library_versions()) build.libraries.push_back(std::move(library));
  return build;
}

}  // namespace

int main() {
  gable::open_standard_descriptors();
  KokkosOnCpu backend;
  return worker::serve(backend, operator_entries(), experiment::cases_of, GABLE_WORKER_NAME, worker_build());
}
