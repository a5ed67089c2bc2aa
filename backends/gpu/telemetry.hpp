#pragma once
#include <memory>
#include <optional>
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

  /// Temperature, clock, and what held that back, now; power where no energy is counted, which a fact names. The clock
  /// is that of the moment, so it is good only while a kernel runs.
  Conditions now() const;
  /// Energy since some time before the process, J.
  std::optional<double> energy_j() const;
  /// Driver, power limit, persistence; or why nothing is known.
  std::vector<Fact> facts() const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace gable::gpu
