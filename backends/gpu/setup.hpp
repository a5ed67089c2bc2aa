#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/device_facts.hpp"
#include "core/backend.hpp"
#include "core/measure/sampler.hpp"

namespace gable::gpu {

/// How each kind of GPU ceiling is sampled. Whatever else uses the device only slows it, so all are ceilings in the
/// sense of measure::Policy.
struct Policies {
  measure::Policy burst;      ///< short batches with gaps before every block: the power limiter has not acted yet
  measure::Policy sustained;  ///< back to back, after a warm-up that lasts until the power limiter acts
  measure::Policy stream;     ///< bandwidth rows
  measure::Policy latency;
  measure::Policy overhead;
  measure::Policy library;
  measure::Policy link;
  measure::Policy curve;  ///< one point of a curve
};

Policies policies_for(Mode mode);

/// What a batch costs beside its own time, s: two events and a wait.
inline constexpr double beside_batch_s = 3e-5;

/// What all ceilings of one opened device share. Planning needs no device; running asks `measurements`.
struct Setup {
  DeviceInfo device;
  DeviceFacts facts;
  BuiltFor built;
  Request request;
  Policies policies;
  double budget_bytes{};  ///< most device memory one measurement may take
  std::shared_ptr<Measurements> measurements;
  /// What the device tells at this moment; may be empty.
  std::function<Conditions()> conditions;
  /// Its counter of energy, J; may be empty, or know none.
  std::function<std::optional<double>()> energy_j;

  /// Rows of a GPU are of all its multiprocessors.
  int threads() const { return facts.multiprocessors; }
  bool full() const { return request.mode == Mode::full; }
  /// The cache next to main memory: Infinity Cache, where there is one, or L2.
  double outermost_cache_bytes() const { return std::max(facts.l2_bytes, facts.infinity_cache_bytes); }
  std::string_view outermost_cache() const { return facts.infinity_cache_bytes > 0 ? "Infinity Cache" : "L2"; }
};

using SharedSetup = std::shared_ptr<const Setup>;

/// What a device that has stopped working still tells of its last work: the temperature.
Conditions behind_work(const Conditions& told);

/// gable::row_item, which also lives as long as the item. `fill` measures; what it has not asked the device yet,
/// temperature and clock limits, is asked behind it. These are kept only where the row's own clock was below the
/// greatest one: drivers go on to name them for a while.
Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(const Setup&, Ceiling&)> fill);

/// Throws Error when the request does not fit a GPU: threads, or a scope other than the node.
void check_request(const DeviceInfo& device, const Request& request);

/// Measures into the row: its value, a rate unless its unit is s; the clock its kernels saw; and power, temperature and
/// what held the clock back while the device worked: asked a few times a second, but not in the first tenth, so that
/// short rows say nothing of it. The power is that of a PowerMeter where the device counts energy, else that of the
/// last answer; rows that rest in between have none. Where kernels see no clock, it is the one that the driver told
/// then. A device that idled is woken up first.
void measure_row(const Setup& setup, Ceiling& row, GpuBenchmark& benchmark, const measure::Policy& policy,
                 measure::Clock& clock = measure::steady_clock());

}  // namespace gable::gpu
