#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"
#include "backends/openmp/clock.hpp"
#include "backends/openmp/pinned_threads.hpp"
#include "core/backend.hpp"
#include "core/measure/timed.hpp"

namespace gable::openmp {

/// The CPU: topology by hwloc, native ceilings, CBLAS and oneDNN. It knows no Kokkos: items that need it are passed in.
class OpenMPBackend : public Backend {
 public:
  /// More items beside the native ceilings (Kokkos launch overhead, portable streams), with the device's conditions
  /// and a timer that runs the pinned threads' sentinels beside each batch. The backend must outlive them.
  using ExtraItems =
      std::function<std::vector<Item>(const DeviceInfo&, const Request&, int threads,
                                      const std::function<Conditions()>& conditions, const measure::Timer& timer)>;

  explicit OpenMPBackend(ExtraItems extra = {});

  std::string_view name() const override { return "openmp"; }
  Probe probe() override;
  /// Chooses the cpus of the scope, of a part (device_parts.hpp) its own, starts the libraries and pins the threads.
  /// Throws Error when the scope has fewer cores than asked for, or OpenMP gives fewer threads.
  void open(const DeviceInfo& device, const Request& request) override;
  int threads() const override;
  /// Native ceilings, sweeps and curves, then the extra items. The backend must outlive them. Empty unless
  /// Request::ceilings. Throws Error before open().
  std::vector<Item> ceilings() override;
  /// Wall time of `n` runs and one fence, by the thread that launches them; the pinned threads' sentinels beside them.
  std::unique_ptr<measure::Benchmark> timer(OperatorInstance& instance) override;
  std::string refuses_graphs() const override { return "no graphs on CPUs"; }
  Conditions conditions() override;
  VendorLibrary* vendor() override { return library_.get(); }
  /// What the ceilings share, for programs that time kernels on a schedule of their own. Throws Error before open().
  const SharedSetup& setup() const;

 private:
  const Setup& opened() const;

  ExtraItems extra_;
  Telemetry telemetry_;
  std::unique_ptr<VendorLibrary> library_;
  SharedSetup setup_;
};

}  // namespace gable::openmp
