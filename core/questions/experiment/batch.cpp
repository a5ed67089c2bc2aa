// A linear layer of d x d weights, Y = X W with X of as many rows as the batch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/device/device_info.hpp"
#include "core/model/point.hpp"
#include "core/questions/experiment/experiment.hpp"

namespace gable::experiment {
namespace {

constexpr Index batches[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
/// Far beyond their ridges, and half of the time that all of them would take.
constexpr Index most_on_cpus = 128;

/// Weights that main memory must serve. The widest layer keeps the largest batch below a second on 300 GFLOP/s.
Index width(const DeviceInfo& device, DType type) {
  constexpr double least = 4096, most = 16384, step = 128;
  const double served = std::sqrt(main_memory_set_bytes(device) / size_bytes(type));
  return static_cast<Index>(std::clamp(step * std::ceil(served / step), least, most));
}

/// Where the bound turns, between two batches that were run.
std::string turn(const Series& series) {
  const Point* before = nullptr;
  for (const Point* point : series.points) {
    if (!point->has_verdict()) return "Without roofs for this type nothing is predicted.";
    if (point->limit_kind == LimitKind::compute) {
      if (before == nullptr) return fmt::format("From the smallest batch on, the bound is {}.", point->limit);
      return fmt::format("The bound turns from {} to {} between batch {:.0f} and {:.0f}.", before->limit, point->limit,
                         size_of(*before, "m"), size_of(*point, "m"));
    }
    before = point;
  }
  return fmt::format("No batch that was run is bound by arithmetic: the largest by {}.", before->limit);
}

/// Up to which batch none takes more than 1.5 times what the smallest takes. The weights are what is paid for only
/// where the smallest batch takes about what moving them does.
std::string nearly_free_rows(const Series& series) {
  constexpr double as_long = 1.5;
  const Point& smallest = *series.points.front();
  const auto batch = [](const Point& point) { return size_of(point, "m"); };
  const auto next = std::ranges::find_if(
      series.points, [&](const Point* point) { return point->time.value > as_long * smallest.time.value; });
  const Point& most = **std::prev(next);
  if (&most != &smallest) {
    const bool weights = smallest.regime == Regime::memory_bound && smallest.fraction_of_limit >= 0.7;
    return fmt::format("Measured, no batch up to {:.0f} takes more than {} times the time of batch {:.0f}{}.",
                       batch(most), as_long, batch(smallest), weights ? ": the weights are what is paid for" : "");
  }
  if (next == series.points.end()) return "One batch was measured: nothing to compare.";
  return fmt::format("Measured, batch {:.0f} takes {:.2f} times the time of batch {:.0f} already: no rows are free.",
                     batch(**next), (*next)->time.value / smallest.time.value, batch(smallest));
}

}  // namespace

std::vector<Case> plan_batch(const DeviceInfo& device, Operators operators) {
  std::vector<Case> cases;
  for (const DType type : types_of(operators, {{.op = "gemm"}})) {
    const Index d = width(device, type);
    Case& layer = cases.emplace_back(Case{.op = "gemm", .dtypes = {type}});
    for (const Index batch : batches) {
      if (!is_cpu(device) || batch <= most_on_cpus) layer.params.push_back({{"m", batch}, {"n", d}, {"k", d}});
    }
  }
  return cases;
}

std::vector<SeriesAnswer> answer_batch(const Result& result) {
  std::vector<SeriesAnswer> answers;
  for (const Series& series : series_of(result, "gemm")) {
    SeriesAnswer answer;
    const Point& smallest = *series.points.front();
    answer.subject = fmt::format("batch: linear layer of {:.0f} x {:.0f} weights, {}", size_of(smallest, "k"),
                                 size_of(smallest, "n"), series.subject());
    for (const Point* point : series.points) {
      const auto& least_s = point->bound_s;
      answer.add(
          {{"batch", "batch", size_of(*point, "m")},
           {"intensity_flop_per_byte", "flop/byte", intensity_of(*point)},
           {"time_s", "time", point->time.value, "s"},
           {"bound_flop_per_s", "bound", least_s ? Answer::Value(flops(point->stages) / *least_s) : Answer::Value(),
            "flop/s"},
           {"measured_flop_per_s", "measured", flop_per_s(*point), "flop/s"},
           {"fraction_of_bound", "of bound", least_s ? Answer::Value(*least_s / point->time.value) : Answer::Value()},
           {"regime", "regime", point->regime}});
    }
    answer.conclusion = turn(series) + ' ' + nearly_free_rows(series);
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace gable::experiment
