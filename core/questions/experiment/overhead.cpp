// The same total work of an elementwise operator in ever more launches.
#include <fmt/format.h>

#include <algorithm>

#include "core/device/device_info.hpp"
#include "core/model/units.hpp"
#include "core/questions/experiment/experiment.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::experiment {
namespace {

constexpr int launches[] = {1, 10, 100, 1000};

/// s a kernel in a replayed graph; nothing where it was not measured.
std::optional<double> graph_node_s(const Result& result, const Series& series) {
  for (const Ceiling& row : result.ceilings) {
    if (row.name == graph_node_launch && row.device == series.device && row.scope == series.scope &&
        row.status == Status::ok)
      return row.value.value;
  }
  return {};
}

/// Work and launches; the nodes of a graph hide behind the work, as queued launches do.
std::optional<double> predicted_s(const Roofline& roofline, const Point& point, std::optional<double> node_s) {
  if (!point.graph && !roofline.overhead()) return {};
  if (!point.graph || !point.bound_s) return point.bound_s;
  if (!node_s) return {};
  return std::max(*point.bound_s, point.launches * *node_s);
}

std::string overhead_conclusion(const Roofline& roofline, const Series& series) {
  const auto found = std::ranges::find(series.points, false, &Point::graph);
  if (found == series.points.end()) return "Nothing but graphs was measured.";
  const Point& first = **found;
  if (!first.has_verdict() || !roofline.overhead()) return "No cost of a launch was measured, so nothing is predicted.";
  const Point* last = &first;
  for (const Point* point : series.points) {
    if (!point->graph && point->launches > last->launches) last = point;
  }
  const double cost_s = roofline.overhead()->seconds;
  const double work_s = *first.bound_s - *first.overhead_s;
  const double equal = work_s / cost_s;
  const std::string where = fmt::format(
      "A launch costs {}, the work {}: they are equal at about {:.0f} launches, of {} each; beyond that the launches "
      "decide.",
      format_quantity(cost_s, "s"), format_quantity(work_s, "s"), equal,
      format_quantity(bytes(first.stages) / std::max(1.0, equal), "byte"));
  if (last == &first) return where;
  return fmt::format("{} In {} launches the same work took {:.2f} times as long as in {}.", where, last->launches,
                     last->time.value / first.time.value, first.launches);
}

}  // namespace

std::vector<Case> plan_overhead(const DeviceInfo& device, Operators operators) {
  constexpr Index most = 1000;
  std::vector<Case> cases;
  for (const DType type : types_of(operators, {{.op = "relu"}})) {
    const Index each = static_cast<Index>(main_memory_set_bytes(device) / (2 * size_bytes(type))) / most;
    for (const bool graph : {false, true}) {
      for (const int count : launches) {
        const Index n = std::max<Index>(1, each) * most / count;
        cases.push_back({.op = "relu", .params = {{{"n", n}}}, .dtypes = {type}, .launches = count, .graph = graph});
      }
    }
  }
  return cases;
}

std::vector<SeriesAnswer> answer_overhead(const Result& result) {
  std::vector<SeriesAnswer> answers;
  for (const Series& series : series_of(result, "relu")) {
    const auto roofline = roofline_of(result, series.device, series.scope);
    const auto node_s = graph_node_s(result, series);
    SeriesAnswer answer;
    answer.subject = "overhead: " + series.subject();
    for (const Point* point : series.points) {
      const auto predicted = predicted_s(roofline, *point, node_s);
      answer.add({{"launches", "launches", static_cast<double>(point->launches)},
                  {"as", "as", point->graph ? "graph" : "launches"},
                  {"each_byte", "each", bytes(point->stages) / point->launches, "byte"},
                  {"predicted_s", "predicted", predicted, "s"},
                  {"measured_s", "measured", point->time.value, "s"},
                  {"measured_over_predicted", "measured / predicted",
                   predicted ? Answer::Value(point->time.value / *predicted) : Answer::Value()}});
    }
    answer.conclusion = overhead_conclusion(roofline, series);
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace gable::experiment
