#include "core/questions/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/model/point.hpp"
#include "core/model/units.hpp"
#include "core/sequence.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable::report {
namespace {

/// Points that make up one workload.
struct Workload {
  std::string title;
  std::vector<const Point*> points;  ///< measured
  int missing{};                     ///< shapes that were not
  double missing_runs{};
};

std::vector<Workload> workloads_of(const Result& result) {
  std::vector<Workload> workloads;
  for (const Point& point : result.points) {
    if (!point.count || point.cold) continue;
    std::string title = fmt::format("census: {} {}, {}", point.op, to_string(point.types.a), point.implementation);
    if (result.devices.size() > 1) title += ", " + point.device;
    auto workload = std::ranges::find(workloads, title, &Workload::title);
    if (workload == workloads.end()) workload = workloads.insert(workload, {std::move(title), {}});
    if (has_time(point)) {
      workload->points.push_back(&point);
    } else {
      ++workload->missing;
      workload->missing_runs += *point.count;
    }
  }
  std::erase_if(workloads, [](const Workload& workload) { return workload.points.empty(); });
  return workloads;
}

double all_of_it(const Point& point) { return *point.count * point.time.value; }

std::string rate(const Point& point, double time_s) {
  return format_quantity(flops_of(point).value_or(0) / time_s, rate_unit(point.types));
}

std::string total_words(const Workload& workload, double total_s) {
  double bound_s = 0;
  bool all_bound = true;
  for (const Point* point : workload.points) {
    all_bound = all_bound && point->bound_s.has_value();
    bound_s += *point->count * point->bound_s.value_or(0);
  }
  std::string total = fmt::format("total {}", format_quantity(total_s, "s"));
  if (all_bound) {
    const std::string share =
        bound_s > total_s ? "it is at its roofs, or above them" : fmt::format("{:.1f} %", 100 * bound_s / total_s);
    total += fmt::format("; the roofs allow {} ({})", format_quantity(bound_s, "s"), share);
  }
  if (workload.missing > 0) {
    total += fmt::format("; without {} shape{} ({:g} runs) that could not be measured", workload.missing,
                         workload.missing == 1 ? "" : "s", workload.missing_runs);
  }
  return total;
}

}  // namespace

void add_census(Answer& answer, const Result& result) {
  for (const Workload& workload : workloads_of(result)) {
    const double total_s = sum_over(workload.points, [](const Point* point) { return all_of_it(*point); });
    const auto facts = [&](const Point* point) -> Answer::Facts {
      return {{"", "shape", point->params},
              {"", "name", point->label},
              {"", "count", fmt::format("{:g}", *point->count)},
              {"", "time", point->time.value, "s"},
              {"", "share", fmt::format("{:.1f} %", 100 * all_of_it(*point) / total_s)},
              {"", "achieved", rate(*point, point->time.value)},
              {"", "bound", point->bound_s ? Answer::Value(rate(*point, *point->bound_s)) : Answer::Value()},
              {"", "regime", point->regime},
              {"", "limit", point->limit}};
    };
    answer.show_table(workload.title, table_of(workload.points, facts)).notes = {total_words(workload, total_s)};
  }
}

}  // namespace gable::report
