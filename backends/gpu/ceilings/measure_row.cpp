#include "backends/gpu/ceilings/measure_row.hpp"

#include <string>
#include <utility>

namespace gable::gpu {
namespace {

/// Asking may take as long as a batch: a device asked more often would idle between batches. The first answer is of
/// work, too, not of what was before the row.
constexpr double between_questions_s = 0.1;

/// What the device told last, and every limit of its clock that it named at all.
class Watch {
 public:
  Watch(const Setup& setup, measure::Clock& clock) : setup_(setup), clock_(clock), asked_(clock.now()) {}

  void ask() {
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
  const Conditions& seen() const { return seen_; }

 private:
  const Setup& setup_;
  measure::Clock& clock_;
  double asked_;
  std::string limits_;
  Conditions seen_;
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
  row.conditions.clock_hz = row.value.clock_hz;
  if (row.conditions.clock_hz) row.conditions.clock_source = "cycle and time counters in the kernel";
}

}  // namespace gable::gpu
