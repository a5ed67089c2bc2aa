#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backends/gpu/power_meter.hpp"
#include "backends/gpu/setup.hpp"
#include "backends/gpu/telemetry.hpp"
#include "core/backend.hpp"

namespace gable::gpu {

/// A GPU through its vendor's runtime: native ceilings and the vendor's library. Items that need Kokkos are passed in.
class GpuBackend : public Backend {
 public:
  /// More items beside the native ceilings (Kokkos launch overhead, portable streams), with the device's conditions.
  using ExtraItems = std::function<std::vector<Item>(const DeviceInfo&, const Request&, int threads,
                                                     const std::function<Conditions()>& conditions)>;

  explicit GpuBackend(ExtraItems extra = {});

  std::string_view name() const override { return built_.backend; }
  Probe probe() override;
  /// Makes the device the current one. Throws Error when the request does not fit a GPU.
  void open(const DeviceInfo& device, const Request& request) override;
  int threads() const override;
  /// Native ceilings, then the extra items. The backend must outlive them. Throws Error before open().
  std::vector<Item> ceilings() override;
  /// Time of `n` runs between two events on the instance's stream.
  std::unique_ptr<measure::Benchmark> timer(OperatorInstance& instance) override;
  std::string refuses_graphs() const override { return {}; }
  std::unique_ptr<measure::Benchmark> graph(OperatorInstance& instance) override;
  /// Behind an operator's work: the power that it showed, and the temperature.
  Conditions conditions() override;
  VendorLibrary* vendor() override { return library_.get(); }
  /// Number of the opened device in the vendor's runtime.
  int device_index() const;

 private:
  const Setup& opened() const;

  ExtraItems extra_;
  BuiltFor built_;
  std::optional<Telemetry> telemetry_;
  std::unique_ptr<VendorLibrary> library_;
  SharedSetup setup_;
  PowerMeter meter_;  ///< of the latest operator
};

}  // namespace gable::gpu
