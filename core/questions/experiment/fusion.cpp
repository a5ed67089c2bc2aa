// A chain of elementwise stages, each a launch of its own, against one launch that does them all.
#include <fmt/format.h>

#include <algorithm>

#include "core/device/device_info.hpp"
#include "core/model/roofline.hpp"
#include "core/model/work.hpp"
#include "core/questions/experiment/experiment.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::experiment {
namespace {

constexpr std::string_view fused_op = "elementwise_chain_fused", unfused_op = "elementwise_chain_unfused";

/// Ratios from here on count as equal.
constexpr double near = 0.95;

const Point* of_stages(const Series& series, double stages) {
  const auto found =
      std::ranges::find_if(series.points, [&](const Point* point) { return size_of(*point, "stages") == stages; });
  return found == series.points.end() ? nullptr : *found;
}

bool belongs(const Series& a, const Series& b) {
  return a.device == b.device && a.scope == b.scope && a.implementation == b.implementation && a.types == b.types;
}

/// Of the bytes of these stages, what the outermost level must serve.
double share_from_outside(const Roofline& roofline, const std::vector<Stage>& stages) {
  double outside = 0;
  for (const Stage& stage : stages) {
    const auto traffic = least_traffic(stage, roofline.levels(), false);
    outside += traffic.empty() ? bytes(stage) : traffic.back();
  }
  return outside / bytes(stages);
}

/// Whether a byte of some stage costs less than that of a copy because it is changed in place.
bool in_place_is_cheaper(const Roofline& roofline, const std::vector<Stage>& stages) {
  if (roofline.levels().empty()) return false;
  const std::string& outermost = roofline.levels().back().name;
  return std::ranges::any_of(stages, [&](const Stage& stage) {
    const Traffic mix = traffic_of(stage);
    const auto rate = roofline.byte_per_s(outermost, mix);
    const auto copy = roofline.byte_per_s(outermost, {.read_fraction = mix.read_fraction});
    return rate && copy && *copy < near * *rate;
  });
}

/// Why the roofs allow less than the ratio of bytes; empty where no reason can be shown.
std::string why_less(const Roofline& roofline, const Point& apart, const Point& fused) {
  if (fused.limit_kind != LimitKind::bandwidth) return fmt::format(", because {} binds", fused.limit);
  const double outside = share_from_outside(roofline, apart.stages);
  if (outside < near)
    return fmt::format(", because {:.0f} % of the single stages' bytes come from caches", 100 * (1 - outside));
  if (in_place_is_cheaper(roofline, apart.stages)) return ", because updating in place costs less per byte than a copy";
  return "";
}

SeriesAnswer compare(const Result& result, const Series& unfused, const Series& fused) {
  const auto roofline = roofline_of(result, fused.device, fused.scope);
  SeriesAnswer answer;
  answer.subject = "fusion: elementwise_chain" + fused.subject().substr(fused_op.size());
  answer.conclusion = "Nothing to compare was measured.";
  for (const Point* apart : unfused.points) {
    const double stages = size_of(*apart, "stages");
    const Point* together = of_stages(fused, stages);
    if (together == nullptr) continue;
    const double ratio = bytes(apart->stages) / bytes(together->stages);
    const bool known = apart->has_verdict() && together->has_verdict();
    const double predicted = known ? *apart->bound_s / *together->bound_s : 0;  // 0: no roof
    const double measured = apart->time.value / together->time.value;
    answer.add({{"stages", "stages", stages},
                {"unfused_s", "one by one", apart->time.value, "s"},
                {"fused_s", "fused", together->time.value, "s"},
                {"byte_ratio", "bytes ratio", ratio},
                {"predicted_factor", "predicted gain", predicted > 0 ? Answer::Value(predicted) : Answer::Value()},
                {"measured_factor", "measured gain", measured},
                {"fused_limit", "fused is bound by", together->limit}});
    answer.conclusion = fmt::format(
        "{:.0f} stages fused move 1/{:.3g} of the bytes and ran {:.3g} times as fast{}{}.", stages, ratio, measured,
        predicted > 0 ? fmt::format("; the roofs allow {:.3g} times", predicted) : "",
        predicted > 0 && predicted < near * ratio ? ", less than the bytes" + why_less(roofline, *apart, *together)
                                                  : "");
  }
  return answer;
}

}  // namespace

std::vector<Case> plan_fusion(const DeviceInfo& device, Operators operators) {
  std::vector<Case> cases;
  for (const DType type : types_of(operators, {{.op = std::string(fused_op)}})) {
    // a pass in place touches one array only
    const auto n = static_cast<Index>(main_memory_set_bytes(device) / size_bytes(type));
    for (const Index stages : {1, 2, 4, 8}) {
      for (const std::string_view op : {unfused_op, fused_op})
        cases.push_back({.op = std::string(op), .params = {{{"n", n}, {"stages", stages}}}, .dtypes = {type}});
    }
  }
  return cases;
}

std::vector<SeriesAnswer> answer_fusion(const Result& result) {
  std::vector<SeriesAnswer> answers;
  const auto all_fused = series_of(result, fused_op);
  for (const Series& unfused : series_of(result, unfused_op)) {
    for (const Series& fused : all_fused) {
      if (belongs(unfused, fused)) answers.push_back(compare(result, unfused, fused));
    }
  }
  return answers;
}

}  // namespace gable::experiment
