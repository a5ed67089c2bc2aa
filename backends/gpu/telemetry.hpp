#pragma once
#include <memory>
#include <vector>

#include "backends/gpu/device_facts.hpp"
#include "core/model/ceiling.hpp"

namespace gable::gpu {

/// What the vendor's management library, loaded at run time, says of one GPU. Each vendor has its own. Without the
/// library everything is absent, and a fact says why.
class Telemetry {
 public:
  explicit Telemetry(const DeviceFacts& device);
  ~Telemetry();
  Telemetry(Telemetry&&) noexcept;
  Telemetry& operator=(Telemetry&&) noexcept;

  /// Power, temperature, and what held the clock back, now. Vendors average the power over up to a second. The clock is
  /// left out: kernels take it themselves.
  Conditions now() const;
  /// Driver, power limit, persistence; or why nothing is known.
  std::vector<Fact> facts() const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace gable::gpu
