// Time of one memory-bound operator over working sets of every level.
#include <fmt/format.h>

#include <algorithm>

#include "core/device/device_info.hpp"
#include "core/model/units.hpp"
#include "core/questions/experiment/experiment.hpp"
#include "core/sequence.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::experiment {
namespace {

/// From so many times all caches on, the model lets main memory serve every byte (core/model/work.hpp).
constexpr double beyond_caches = 4.0;
/// Below this share of explained variance a line is not called straight.
constexpr double straight = 0.99;
/// Below this share of the roof the slope is not that of the bandwidth, however straight the line: work at a constant
/// cost a byte gives one as well.
constexpr double near_roof = 0.8;

/// Which level holds the arrays: the innermost that does; none between the last cache and four times all of them.
std::string level_of(const std::vector<Level>& levels, double set_bytes) {
  double caches = 0;
  for (const Level& level : levels) {
    if (level.capacity_bytes > 0 && set_bytes <= level.capacity_bytes) return level.name;
    caches += level.capacity_bytes;
  }
  return !levels.empty() && set_bytes > beyond_caches * caches ? levels.back().name : "";
}

/// Least squares through (bytes, s); nothing through fewer than three sizes.
struct FittedLine {
  double s_per_byte{}, r_squared{};
  bool rises() const { return s_per_byte > 0; }
};
std::optional<FittedLine> fit(const std::vector<const Point*>& points) {
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
  if (!(xx > 0)) return {};
  return FittedLine{xy / xx, yy > 0 ? xy * xy / (xx * yy) : 0};
}

std::vector<const Point*> within(const Series& series, const std::vector<Level>& levels, const std::string& name) {
  return filtered(series.points,
                  [&](const Point* point) { return level_of(levels, point->stages.front().working_set) == name; });
}

std::optional<double> roof_of(const Roofline& roofline, const Series& series, const std::string& level) {
  const Traffic mix = traffic_of(series.points.front()->stages.front());
  return roofline.byte_per_s(level, mix);
}

/// "L2: slope 80 GB/s, R² 0.998, roof 85 GB/s."
std::string describe(const Roofline& roofline, const Series& series, const std::string& level) {
  const auto line = fit(within(series, roofline.levels(), level));
  if (!line) return fmt::format("{}: too few working sets for a slope. ", level);
  if (!line->rises()) return fmt::format("{}: time does not grow with bytes, so there is no slope. ", level);
  const auto roof = roof_of(roofline, series, level);
  return fmt::format("{}: slope {}, R² {:.4f}{}. ", level, format_quantity(1 / line->s_per_byte, "byte/s"),
                     line->r_squared, roof ? ", roof " + format_quantity(*roof, "byte/s") : "");
}

/// Bound by bandwidth: a straight line, whose slope is that of the roof.
std::string verdict(const Roofline& roofline, const Series& series, const std::string& level) {
  const auto line = fit(within(series, roofline.levels(), level));
  if (!line || !line->rises()) return fmt::format("Whether it is bound by the bandwidth of {} was not shown.", level);
  if (line->r_squared < straight)
    return fmt::format("In {} time is no straight line in bytes: not shown to be bound by bandwidth.", level);
  const std::string begin = fmt::format("In {} time is a straight line in bytes", level);
  const auto roof = roof_of(roofline, series, level);
  if (!roof) return begin + ", but no roof was measured that its slope could be compared with.";
  const double share = 1 / line->s_per_byte / *roof;
  return share >= near_roof
             ? fmt::format("{} at {:.2f} of the roof: bound by bandwidth.", begin, share)
             : fmt::format("{}, but at {:.2f} of the roof: something else costs per byte.", begin, share);
}

std::string conclusion(const Roofline& roofline, const Series& series) {
  std::string text;
  if (roofline.levels().empty()) return "The levels of this device are not known.";
  for (const Level& level : roofline.levels()) text += describe(roofline, series, level.name);
  return text + verdict(roofline, series, roofline.levels().back().name);
}

std::vector<double> working_sets(const DeviceInfo& device) {
  std::vector<double> sets;
  double inner = 0;
  for (std::size_t i = 0; i + 1 < device.memory.size(); ++i) {
    const double capacity = total_bytes(device.memory[i]);
    for (const double share : {0.4, 0.6, 0.8}) {
      if (share * capacity > inner) sets.push_back(share * capacity);
    }
    inner = capacity;
  }
  const double most = main_memory_set_bytes(device);
  for (const double factor : {1.0, 1.25, 1.5, 1.75, 2.0}) sets.push_back(factor * most);
  return sets;
}

}  // namespace

std::vector<Case> plan_bytes(const DeviceInfo& device, Operators operators) {
  std::vector<Case> cases;
  for (const DType type : types_of(operators, {{.op = "relu"}})) {
    Case& one = cases.emplace_back(Case{.op = "relu", .dtypes = {type}});
    for (const double set_bytes : working_sets(device)) {
      const Params params{{"n", std::max<Index>(1, static_cast<Index>(set_bytes / (2 * size_bytes(type))))}};
      if (std::ranges::count(one.params, params) == 0) one.params.push_back(params);
    }
  }
  return cases;
}

std::vector<SeriesAnswer> answer_bytes(const Result& result) {
  std::vector<SeriesAnswer> answers;
  for (const Series& series : series_of(result, "relu")) {
    const auto roofline = roofline_of(result, series.device, series.scope);
    SeriesAnswer answer;
    answer.subject = "bytes: " + series.subject();
    for (const Point* point : series.points) {
      const double set_bytes = point->stages.front().working_set;
      answer.add({{"working_set_byte", "working set", set_bytes, "byte"},
                  {"level", "level", level_of(roofline.levels(), set_bytes)},
                  {"time_s", "time", point->time.value, "s"},
                  {"bandwidth_byte_per_s", "bandwidth", bytes(point->stages) / point->time.value, "byte/s"},
                  {"bound_s", "bound", point->bound_s, "s"}});
    }
    answer.conclusion = conclusion(roofline, series);
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace gable::experiment
