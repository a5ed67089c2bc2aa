#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/error.hpp"
#include "core/measure/sampler.hpp"
#include "core/operator.hpp"
#include "core/request.hpp"
#include "core/result/row.hpp"
#include "core/vendor_call.hpp"

namespace gable {

/// One thing to measure, run on its own: a failure ends it and nothing else.
struct Item {
  Row planned;                            ///< the row it yields before anything is measured: what it is of, or why not
  std::string title;                      ///< for people
  double expected_s{0.2};                 ///< of one round, for the progress bar; 0: planned as not measured
  double timeout_s{30.0};                 ///< hung when a round takes longer
  std::function<std::vector<Row>()> run;  ///< one round: called again in every round, which take blocks of their own

  /// That of the row, stable within the device: "ceiling/compute/vector/fp64/burst".
  const std::string& id() const { return id_of(planned); }
};

/// What probing found. `reason`: why nothing was, or why some devices that there are were left out, or what the
/// environment takes from them; else empty.
struct Probe {
  std::vector<DeviceInfo> devices;
  std::string reason;
};

/// One kind of hardware. A worker has one. Everything that measures is an Item; rows it cannot measure are items too,
/// and yield `unsupported` with a reason.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  virtual Probe probe() = 0;
  /// Takes the device for this process: pins threads, sets the current device. Called once, before anything below.
  /// Throws Error when the request does not fit the device (too many threads, no such domain).
  virtual void open(const DeviceInfo& device, const Request& request) = 0;
  /// Threads the opened scope works with.
  virtual int threads() const = 0;
  /// Ceilings, launch overhead, links and sweeps of the opened device.
  virtual std::vector<Item> ceilings() = 0;
  /// Wraps an operator for timing on the device's own timeline.
  virtual std::unique_ptr<measure::Benchmark> timer(OperatorInstance& instance) = 0;
  /// Why runs cannot be captured in a graph; empty where they can.
  virtual std::string refuses_graphs() const { return "no graphs on this device"; }
  /// Times replays of a graph of what one run enqueues. Only where refuses_graphs() is empty.
  virtual std::unique_ptr<measure::Benchmark> graph(OperatorInstance&) { throw Error(refuses_graphs()); }
  /// Clock, power, temperature now, as far as the device tells.
  virtual Conditions conditions() = 0;
  /// Vendor library, or null.
  virtual VendorLibrary* vendor() = 0;
};

}  // namespace gable
