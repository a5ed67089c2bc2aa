#include "backends/openmp/ceilings/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/openmp/ceilings/compute_benchmark.hpp"
#include "backends/openmp/ceilings/row.hpp"
#include "backends/openmp/ceilings/stream_benchmark.hpp"

namespace gable::openmp {
namespace {

Curve scaling_curve(std::string series, std::string y_name, std::string y_unit) {
  Curve curve;
  curve.name = "core_scaling";
  curve.series = std::move(series);
  curve.x_name = "cores";
  curve.x_unit = "core";
  curve.y_name = std::move(y_name);
  curve.y_unit = std::move(y_unit);
  return curve;
}

void measure_flops(Setup& setup, Curve& curve, const ComputeChoice& choice) {
  for (const int cores : core_counts(setup.threads())) {
    const auto part = narrowed(setup, cores);
    ComputeBenchmark benchmark(*part, choice);
    curve.x.push_back(cores);
    curve.y.push_back(measure::measure(benchmark, {benchmark.operations(), true}, setup.policies.curve).value);
  }
}

void measure_triad(Setup& setup, Curve& curve, const StreamChoice& choice) {
  for (const int cores : core_counts(setup.threads())) {
    const auto part = narrowed(setup, cores);
    const auto set = part->sets().back();
    if (!set.reason.empty()) {
      curve.status = Status::skipped;
      curve.reason = set.reason;
      return;
    }
    StreamBenchmark benchmark(*part, choice, set.bytes);
    curve.x.push_back(cores);
    curve.y.push_back(measure::measure(benchmark, {benchmark.bytes_per_pass(), true}, setup.policies.curve).value);
  }
}

}  // namespace

std::vector<int> core_counts(int cores) {
  std::vector<int> counts;
  for (int count = 1; count < cores; count += std::max(1, count / 4)) counts.push_back(count);
  counts.push_back(cores);
  return counts;
}

std::vector<Item> core_scaling(const SharedSetup& setup) {
  std::vector<Item> items;
  if (!setup->full() || setup->threads() < 2) return items;
  const double points = static_cast<double>(core_counts(setup->threads()).size());
  const auto kernels = compute_kernels(setup->instructions, "vector", DType::fp64);
  if (!kernels.empty()) {
    items.push_back(curve_item(setup, scaling_curve("fp64_vector", "performance", "flop/s"),
                               "fp64 vector against cores", points * expected_seconds(setup->policies.curve),
                               [choice = kernels.front()](Setup& s, Curve& c) { measure_flops(s, c, choice); }));
  }
  const auto triad = stream_kernel(setup->instructions, Access::triad, Stores::ordinary);
  if (triad.kernel != nullptr) {
    items.push_back(curve_item(setup, scaling_curve("memory_triad", "bandwidth", "byte/s"),
                               "Main-memory triad against cores", points,
                               [triad](Setup& s, Curve& c) { measure_triad(s, c, triad); }));
  }
  return items;
}

}  // namespace gable::openmp
