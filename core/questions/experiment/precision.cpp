// One operator that moves bytes and one that computes, in every type they take.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/device/device_info.hpp"
#include "core/questions/experiment/experiment.hpp"

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

std::string conclusion(const Point& widest, const Point& fastest, std::size_t types) {
  const auto wide = to_string(widest.types.a), best = to_string(fastest.types.a);
  if (types == 1) return fmt::format("Only {} was measured: nothing to compare.", wide);
  if (&fastest == &widest) return fmt::format("No narrower type is faster than {}.", wide);
  const bool shown = !fastest.time.ci_high || !widest.time.ci_low || *fastest.time.ci_high < *widest.time.ci_low;
  if (!shown) return fmt::format("{} comes out fastest, but is not shown to be faster than {}.", best, wide);
  return fmt::format("{} comes out fastest: {:.3g} times as fast as {}, on 1/{:.3g} of the bytes.", best,
                     widest.time.value / fastest.time.value, wide, bytes(widest.stages) / bytes(fastest.stages));
}

SeriesAnswer compare(const std::vector<Series>& family) {
  const Point& widest = *family.front().points.front();
  SeriesAnswer answer;
  answer.subject = fmt::format("precision: {}, {}, {}", widest.op, family.front().implementation, widest.device);
  const Point* fastest = &widest;
  for (const Series& series : family) {
    const Point& point = *series.points.front();
    const Answer::Value gain =
        point.bound_s && widest.bound_s ? Answer::Value(*widest.bound_s / *point.bound_s) : Answer::Value();
    answer.add({{"type", "type", point.types.a},
                {"size_byte", "arrays", bytes(point.stages), "byte"},
                {"time_s", "time", point.time.value, "s"},
                {"predicted_gain", "predicted gain", gain},
                {"measured_gain", "measured gain", widest.time.value / point.time.value},
                {"limit", "bound by", point.regime ? Answer::Value(point.limit) : Answer::Value()}});
    if (point.time.value < fastest->time.value) fastest = &point;
  }
  answer.conclusion = conclusion(widest, *fastest, family.size());
  return answer;
}

/// Elements that main memory must serve in the narrowest type, as far as the widest fits the memory.
Index elements(const DeviceInfo& device, Operators operators) {
  std::vector<double> sizes;
  for (const DType type : types_of(operators, {{.op = "relu"}})) sizes.push_back(size_bytes(type));
  const auto [narrowest, widest] = std::ranges::minmax(sizes);
  const double wanted = main_memory_set_bytes(device) / (2 * narrowest);
  const double room = run_memory_bytes(device) / (2 * widest);
  return static_cast<Index>(room > 0 ? std::min(wanted, room) : wanted);
}

}  // namespace

std::vector<Case> plan_precision(const DeviceInfo& device, Operators operators) {
  const Index n = is_cpu(device) ? 1024 : 8192;
  return {{.op = "relu", .params = {{{"n", elements(device, operators)}}}},
          {.op = "gemm", .params = {{{"m", n}, {"n", n}, {"k", n}}}}};
}

std::vector<SeriesAnswer> answer_precision(const Result& result) {
  std::vector<SeriesAnswer> answers;
  for (const std::string_view op : {"relu", "gemm"}) {
    for (const auto& family : families(result, op)) answers.push_back(compare(family));
  }
  return answers;
}

}  // namespace gable::experiment
