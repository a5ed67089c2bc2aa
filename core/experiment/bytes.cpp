// Time of one memory-bound operator over working sets of every level.
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/place.hpp"
#include "core/device/plannable_memory.hpp"
#include "core/experiment/experiment.hpp"
#include "core/experiment/series.hpp"
#include "core/model/units.hpp"

namespace gable::experiment {
namespace {

/// From so many times all caches on, the model lets main memory serve every byte (core/model/traffic.hpp).
constexpr double beyond_caches = 4.0;
/// Below this share of explained variance a line is not called straight.
constexpr double straight = 0.99;

/// Which level holds the arrays: the innermost that does; none between the last cache and four times all of them.
std::string level_of(const std::vector<Level>& levels, double set_bytes) {
  double caches = 0;
  for (const Level& level : levels) {
    if (level.capacity_bytes > 0 && set_bytes <= level.capacity_bytes) return level.name;
    caches += level.capacity_bytes;
  }
  return !levels.empty() && set_bytes > beyond_caches * caches ? levels.back().name : "";
}

/// Least squares through (bytes, s).
struct Line {
  double s_per_byte{}, r_squared{};
};
std::optional<Line> fit(const std::vector<const Point*>& points) {
  if (points.size() < 3) return {};
  const double count = static_cast<double>(points.size());
  double x_mean = 0, y_mean = 0;
  for (const Point* point : points) {
    x_mean += bytes(point->stages) / count;
    y_mean += point->time.value / count;
  }
  double xx = 0, xy = 0, yy = 0;
  for (const Point* point : points) {
    const double x = bytes(point->stages) - x_mean, y = point->time.value - y_mean;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (!(xx > 0) || !(yy > 0) || !(xy > 0)) return {};
  return Line{xy / xx, xy * xy / (xx * yy)};
}

double read_fraction_of(const Point& point) {
  const Stage& stage = point.stages.front();
  return stage.bytes_read / bytes(stage);
}

std::vector<const Point*> within(const Series& series, const std::vector<Level>& levels, const std::string& name) {
  std::vector<const Point*> points;
  for (const Point* point : series.points) {
    if (level_of(levels, point->stages.front().working_set) == name) points.push_back(point);
  }
  return points;
}

/// "L2: 3 sets, slope 80 GB/s, R² 0.998, roof 85 GB/s."
std::string describe(const Roofline& roofline, const Series& series, const std::string& level) {
  const auto points = within(series, roofline.levels(), level);
  const auto line = fit(points);
  if (!line) return fmt::format("{}: too few working sets for a slope. ", level);
  const auto roof = roofline.byte_per_s(level, read_fraction_of(*points.front()));
  return fmt::format("{}: slope {}, R² {:.4f}{}. ", level, format_quantity(1 / line->s_per_byte, "byte/s"),
                     line->r_squared, roof ? ", roof " + format_quantity(*roof, "byte/s") : "");
}

std::string conclusion(const Roofline& roofline, const Series& series) {
  std::string text;
  if (roofline.levels().empty()) return "The levels of this device are not known.";
  for (const Level& level : roofline.levels()) text += describe(roofline, series, level.name);
  const std::string& memory = roofline.levels().back().name;
  const auto line = fit(within(series, roofline.levels(), memory));
  if (!line) return text + "Whether it is bound by the bandwidth of main memory was not shown.";
  return text +
         (line->r_squared >= straight
              ? fmt::format("In {} time is a straight line in bytes: bound by bandwidth.", memory)
              : fmt::format("In {} time is no straight line in bytes: not shown to be bound by bandwidth.", memory));
}

}  // namespace

std::vector<Case> plan_bytes(const DeviceInfo& device) {
  Case one{.op = "relu"};
  const auto add = [&](double set_bytes) {
    const Params params{{"n", std::max<Index>(1, static_cast<Index>(set_bytes / 8))}};  // two arrays of fp32
    if (std::ranges::count(one.params, params) == 0) one.params.push_back(params);
  };
  double inner = 0;
  for (std::size_t i = 0; i + 1 < device.memory.size(); ++i) {
    const double capacity = device.memory[i].size_bytes * device.memory[i].instances;
    for (const double share : {0.4, 0.6, 0.8}) {
      if (share * capacity > inner) add(share * capacity);
    }
    inner = capacity;
  }
  const double most = main_memory_set_bytes(device);
  for (const double factor : {1.0, 1.25, 1.5, 1.75, 2.0}) add(factor * most);
  return {one};
}

std::vector<Answer> answer_bytes(const Result& result) {
  std::vector<Answer> answers;
  for (const Series& series : series_of(result, "relu")) {
    const auto roofline = analysis::roofline_of(result, series.device, series.scope);
    Answer answer;
    answer.subject = "bytes: " + series.subject();
    answer.columns = {{"working_set_byte", "working set", "byte"},
                      {"level", "level", ""},
                      {"time_s", "time", "s"},
                      {"bandwidth_byte_per_s", "bandwidth", "byte/s"},
                      {"bound_s", "bound", "s"}};
    for (const Point* point : series.points) {
      const double set_bytes = point->stages.front().working_set;
      answer.rows.push_back({set_bytes, level_of(roofline.levels(), set_bytes), point->time.value,
                             bytes(point->stages) / point->time.value, cell(bound_s(roofline, *point))});
    }
    answer.conclusion = conclusion(roofline, series);
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace gable::experiment
