#include "backends/gpu/ceilings/measure_row.hpp"

#include <utility>

namespace gable::gpu {
namespace {

/// Asking may take as long as a batch: a device asked more often would idle between batches.
constexpr double between_questions_s = 0.2;

/// What the device told last, and any limit of its clock that it named at all.
class Watch {
 public:
  explicit Watch(const Setup& setup) : setup_(setup) {}

  void ask() {
    const double now = clock_.now();
    if (!setup_.conditions || now - asked_ < between_questions_s) return;
    asked_ = now;
    auto told = setup_.conditions();
    const bool none_now = told.clock_limits && told.clock_limits->empty();
    if (none_now && seen_.clock_limits) told.clock_limits = seen_.clock_limits;
    seen_ = std::move(told);
  }
  const Conditions& seen() const { return seen_; }

 private:
  const Setup& setup_;
  measure::Clock& clock_ = measure::steady_clock();
  double asked_{-between_questions_s};
  Conditions seen_;
};

}  // namespace

void measure_row(const Setup& setup, Ceiling& row, GpuBenchmark& benchmark, const measure::Policy& policy) {
  Watch watch(setup);
  benchmark.while_busy([&watch] { watch.ask(); });
  row.value = measure::measure(benchmark, {benchmark.per_iteration(), row.unit != "s"}, policy);
  benchmark.while_busy({});
  row.conditions = watch.seen();
  row.conditions.clock_hz = row.value.clock_hz;
  if (row.conditions.clock_hz) row.conditions.clock_source = "cycle and time counters in the kernel";
}

}  // namespace gable::gpu
