// One operator that moves bytes and one that computes, in every type they take.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/analysis/place.hpp"
#include "core/device/plannable_memory.hpp"
#include "core/experiment/experiment.hpp"
#include "core/experiment/series.hpp"

namespace gable::experiment {
namespace {

/// Series of one operator and implementation on one device, one a type; the widest comes first.
std::vector<std::vector<Series>> families(const Result& result, std::string_view op) {
  std::vector<std::vector<Series>> all;
  for (Series& series : series_of(result, op)) {
    const auto same = [&](const std::vector<Series>& family) {
      const Series& one = family.front();
      return one.device == series.device && one.scope == series.scope && one.implementation == series.implementation;
    };
    auto family = std::ranges::find_if(all, same);
    if (family == all.end()) family = all.insert(family, std::vector<Series>{});
    family->push_back(std::move(series));
  }
  for (auto& family : all) {
    std::ranges::stable_sort(family, std::greater<>(), [](const Series& series) { return size_bytes(series.types.a); });
  }
  return all;
}

Answer compare(const Result& result, const std::vector<Series>& family) {
  const auto roofline = analysis::roofline_of(result, family.front().device, family.front().scope);
  const Point& widest = *family.front().points.front();
  const auto widest_bound_s = bound_s(roofline, widest);
  Answer answer;
  answer.subject = fmt::format("precision: {}, {}, {}", widest.op, family.front().implementation, widest.device);
  answer.columns = {{"type", "type", ""},
                    {"size_byte", "arrays", "byte"},
                    {"time_s", "time", "s"},
                    {"predicted_gain", "predicted gain", ""},
                    {"measured_gain", "measured gain", ""},
                    {"limit", "bound by", ""}};
  const Point* fastest = &widest;
  for (const Series& series : family) {
    const Point& point = *series.points.front();
    const auto bound = roofline.bound(point.stages, point.types);
    answer.rows.push_back({std::string(to_string(point.types.a)), bytes(point.stages), point.time.value,
                           bound && widest_bound_s ? Cell(*widest_bound_s / bound->time_s) : Cell(),
                           widest.time.value / point.time.value, bound ? Cell(bound->limit.label) : Cell()});
    if (point.time.value < fastest->time.value) fastest = &point;
  }
  answer.conclusion = fastest == &widest
                          ? fmt::format("No narrower type is faster than {}.", to_string(widest.types.a))
                          : fmt::format("{} is the fastest: {:.3g} times as fast as {}, on {:.3g} times fewer bytes.",
                                        to_string(fastest->types.a), widest.time.value / fastest->time.value,
                                        to_string(widest.types.a), bytes(widest.stages) / bytes(fastest->stages));
  return answer;
}

}  // namespace

std::vector<Case> plan_precision(const DeviceInfo& device) {
  const Index n = device.backend == "openmp" ? 1024 : 8192;
  const auto elements = static_cast<Index>(main_memory_set_bytes(device) / 8);
  return {{.op = "relu", .params = {{{"n", elements}}}}, {.op = "gemm", .params = {{{"m", n}, {"n", n}, {"k", n}}}}};
}

std::vector<Answer> answer_precision(const Result& result) {
  std::vector<Answer> answers;
  for (const std::string_view op : {"relu", "gemm"}) {
    for (const auto& family : families(result, op)) answers.push_back(compare(result, family));
  }
  return answers;
}

}  // namespace gable::experiment
