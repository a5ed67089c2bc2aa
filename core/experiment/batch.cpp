// A linear layer of d x d weights, Y = X W with X of as many rows as the batch.
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/place.hpp"
#include "core/experiment/experiment.hpp"
#include "core/experiment/series.hpp"
#include "core/report/figures.hpp"

namespace gable::experiment {
namespace {

constexpr Index batches[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

/// Where the bound turns, between two batches that were run.
std::string turn(const Roofline& roofline, const Series& series) {
  const Point* before = nullptr;
  for (const Point* point : series.points) {
    const auto bound = roofline.bound(point->stages, point->types);
    if (!bound) return "Without roofs for this type nothing is predicted.";
    if (bound->limit.kind == LimitKind::compute) {
      if (before == nullptr) return "The bound is compute from the smallest batch on.";
      return fmt::format("The bound turns from memory to compute between batch {:.0f} and {:.0f}.",
                         size_of(*before, "m"), size_of(*point, "m"));
    }
    before = point;
  }
  return "No batch that was run is compute-bound.";
}

/// The largest batch that takes no more than 1.5 times what the smallest takes: so many rows more come for free.
std::string free_rows(const Series& series) {
  const Point* most = series.points.front();
  for (const Point* point : series.points) {
    if (point->time.value > 1.5 * series.points.front()->time.value) break;
    most = point;
  }
  return fmt::format(
      "Measured, batch {:.0f} takes {:.2f} times the time of batch {:.0f}: up to there the weights are "
      "what is paid for.",
      size_of(*most, "m"), most->time.value / series.points.front()->time.value, size_of(*series.points.front(), "m"));
}

}  // namespace

std::vector<Case> plan_batch(const DeviceInfo&) {
  constexpr Index d = 4096;
  Case layer{.op = "gemm"};
  for (const Index batch : batches) layer.params.push_back({{"m", batch}, {"n", d}, {"k", d}});
  return {layer};
}

std::vector<Answer> answer_batch(const Result& result) {
  std::vector<Answer> answers;
  for (const Series& series : series_of(result, "gemm")) {
    const auto roofline = analysis::roofline_of(result, series.device, series.scope);
    Answer answer;
    answer.subject = "batch: linear layer, " + series.subject();
    answer.columns = {{"batch", "batch", ""},
                      {"intensity_flop_per_byte", "flop/byte", ""},
                      {"time_s", "time", "s"},
                      {"bound_flop_per_s", "bound", "flop/s"},
                      {"measured_flop_per_s", "measured", "flop/s"},
                      {"fraction_of_bound", "of bound", ""},
                      {"regime", "regime", ""}};
    for (const Point* point : series.points) {
      const auto least_s = bound_s(roofline, *point);
      answer.rows.push_back({size_of(*point, "m"), cell(report::intensity_of(*point)), point->time.value,
                             least_s ? Cell(flops(point->stages) / *least_s) : Cell(), cell(report::flop_per_s(*point)),
                             least_s ? Cell(*least_s / point->time.value) : Cell(),
                             point->regime ? Cell(std::string(to_string(*point->regime))) : Cell()});
    }
    answer.conclusion = turn(roofline, series) + ' ' + free_rows(series);
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace gable::experiment
