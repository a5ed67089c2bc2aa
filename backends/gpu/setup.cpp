#include "backends/gpu/setup.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "backends/gpu/power_meter.hpp"
#include "core/error.hpp"
#include "core/row_item.hpp"

namespace gable::gpu {

using measure::ceiling_policy;

Policies policies_for(Mode mode) {
  const bool full = mode == Mode::full;
  Policies p;
  p.burst = full ? ceiling_policy(2e-3, 8, 0.4) : ceiling_policy(1e-3, 5, 0.15);
  p.burst.gap_s = 10e-3;
  p.sustained = full ? ceiling_policy(20e-3, 8, 1.5) : ceiling_policy(5e-3, 5, 0.5);
  p.sustained.warmup_s = 0.3;
  p.stream = full ? ceiling_policy(5e-3, 8, 0.5) : ceiling_policy(2e-3, 5, 0.15);
  p.stream.warmup_s = full ? 0.1 : 0.02;
  p.latency = full ? ceiling_policy(5e-3, 4, 0.3) : ceiling_policy(2e-3, 4, 0.1);
  p.overhead = full ? ceiling_policy(2e-3, 8, 0.3) : ceiling_policy(1e-3, 4, 0.1);
  p.library = full ? ceiling_policy(20e-3, 5, 1.5) : ceiling_policy(5e-3, 3, 0.4);
  p.library.warmup_s = p.sustained.warmup_s;  // the two are compared
  p.link = full ? ceiling_policy(20e-3, 3, 0.7) : ceiling_policy(5e-3, 3, 0.3);
  p.curve = full ? ceiling_policy(2e-3, 3, 0.2) : ceiling_policy(1e-3, 2, 0.1);
  return p;
}

Conditions behind_work(const Conditions& told) {
  Conditions kept;
  kept.temperature_c = told.temperature_c;
  return kept;
}

namespace {

/// What held the row's clock back: nothing where it was the device's greatest, unknown where the row has none.
void check_limits(Conditions& row, const std::optional<double>& max_clock_hz) {
  constexpr double clock_error = 0.01;
  if (!row.clock_limits) return;
  if (!row.clock_hz)
    row.clock_limits.reset();
  else if (max_clock_hz && *row.clock_hz >= (1 - clock_error) * *max_clock_hz)
    row.clock_limits = "";
}

void ask_behind_work(const Setup& setup, Conditions& row) {
  if (setup.conditions) {
    const auto now = setup.conditions();
    if (!row.temperature_c) row.temperature_c = now.temperature_c;
    if (!row.clock_limits) row.clock_limits = now.clock_limits;
  }
  check_limits(row, setup.device.max_clock_hz);
}

}  // namespace

Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(const Setup&, Ceiling&)> fill) {
  auto filled = [setup = std::move(setup), fill = std::move(fill)](Ceiling& measured) {
    fill(*setup, measured);
    ask_behind_work(*setup, measured.conditions);
  };
  return gable::row_item(std::move(row), std::move(title), expected_s, std::move(filled), {});
}

void check_request(const DeviceInfo& device, const Request& request) {
  if (request.threads != 0) {
    throw Error(fmt::format("device {}: --threads chooses cores of a CPU; a GPU is measured as a whole", device.id));
  }
  if (request.scope != Scope::node) {
    throw Error(
        fmt::format("device {}: no scope '{}'; a GPU is measured as a whole", device.id, to_string(request.scope)));
  }
}

namespace {

/// Asking may take as long as a batch, so asking more often would let the device idle between batches. The first
/// question comes after some work, so that the answer is not of the time before the row.
constexpr double between_questions_s = 0.1;

/// What the device told last, every limit of its clock that it named at all, and its mean power.
class Watch {
 public:
  Watch(const Setup& setup, measure::Clock& clock)
      : setup_(setup), clock_(clock), asked_(clock.now()), meter_(setup.energy_j, clock) {}

  void ask() {
    meter_.read();
    const double now = clock_.now();
    if (!setup_.conditions || now - asked_ < between_questions_s) return;
    asked_ = now;
    auto told = setup_.conditions();
    if (told.clock_limits && !told.clock_limits->empty() && limits_.find(*told.clock_limits) == std::string::npos) {
      limits_ += (limits_.empty() ? "" : ", ") + *told.clock_limits;
    }
    if (told.clock_limits) told.clock_limits = limits_;
    seen_ = std::move(told);
  }
  Conditions seen() const {
    Conditions seen = seen_;
    if (const auto power_w = meter_.mean_w()) seen.power_w = power_w;
    return seen;
  }

 private:
  const Setup& setup_;
  measure::Clock& clock_;
  double asked_;
  std::string limits_;
  Conditions seen_;
  PowerMeter meter_;
};

}  // namespace

void measure_row(const Setup& setup, Ceiling& row, GpuBenchmark& benchmark, const measure::Policy& policy,
                 measure::Clock& clock) {
  setup.measurements->wake_up();
  Watch watch(setup, clock);
  benchmark.while_busy([&watch] { watch.ask(); });
  row.value = measure::measure(benchmark, {benchmark.per_iteration(), row.unit != "s"}, policy, clock);
  benchmark.while_busy({});
  row.conditions = watch.seen();
  if (policy.gap_s > 0) row.conditions.power_w.reset();  // that of its rests too
  if (!row.value.clock_hz) return;
  row.conditions.clock_hz = row.value.clock_hz;
  row.conditions.clock_source = "cycle and time counters in the kernel";
}

}  // namespace gable::gpu
