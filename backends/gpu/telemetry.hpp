#pragma once
#include <memory>
#include <vector>

#include "backends/gpu/device_facts.hpp"
#include "core/model/ceiling.hpp"

namespace gable::gpu {

/// What the vendor's management library, loaded at run time, or the driver's files say of one GPU. Each vendor has its
/// own. Without them everything is absent, and a fact says why.
class Telemetry {
 public:
  explicit Telemetry(const DeviceFacts& device);
  ~Telemetry();

  /// Power, temperature, clock, and what held that back, now; a fact says whether the power is that of the moment. The
  /// clock is, so it is good only while a kernel runs.
  Conditions now() const;
  /// Driver, power limit, persistence; or why nothing is known.
  std::vector<Fact> facts() const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace gable::gpu
