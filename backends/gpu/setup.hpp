#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <string_view>

#include "backends/gpu/device_facts.hpp"
#include "backends/gpu/policies.hpp"
#include "core/backend.hpp"

namespace gable::gpu {

class Measurements;

/// What all ceilings of one opened device share. Planning needs no device; running asks `measurements`.
struct Setup {
  DeviceInfo device;
  DeviceFacts facts;
  BuiltFor built;
  Request request;
  Policies policies;
  double budget_bytes{};  ///< most device memory one measurement may take
  std::shared_ptr<Measurements> measurements;
  std::function<Conditions()> conditions;  ///< power and temperature now; may be empty

  /// Rows of a GPU are of all its multiprocessors.
  int threads() const { return facts.multiprocessors; }
  bool full() const { return request.mode == Mode::full; }
  /// The cache next to main memory: Infinity Cache, where there is one, or L2.
  double outermost_cache_bytes() const { return std::max(facts.l2_bytes, facts.infinity_cache_bytes); }
  std::string_view outermost_cache() const { return facts.infinity_cache_bytes > 0 ? "Infinity Cache" : "L2"; }
};

using SharedSetup = std::shared_ptr<const Setup>;

/// A row of this device with its kind and name, everything else open.
Ceiling new_row(const Setup& setup, CeilingKind kind, std::string name, std::string unit);
/// A curve of this device.
Curve new_curve(const Setup& setup, std::string name, std::string series);

/// gable::row_item with the setup's conditions, which also lives as long as the item.
Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(const Setup&, Ceiling&)> fill);
Item curve_item(SharedSetup setup, Curve curve, std::string title, double expected_s,
                std::function<void(const Setup&, Curve&)> fill);

/// Throws Error when the request does not fit a GPU: threads, or a scope other than the node.
void check_request(const DeviceInfo& device, const Request& request);

}  // namespace gable::gpu
