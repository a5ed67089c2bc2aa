// Square products of a size that fits tiles and packs, and of one more.
#include <fmt/format.h>

#include <algorithm>

#include "core/model/point.hpp"
#include "core/questions/experiment/experiment.hpp"

namespace gable::experiment {
namespace {

/// The rate at n + 1 over that at n, with the ends that the two intervals allow together.
struct Ratio {
  double value{};
  std::optional<double> low, high;
};

Ratio ratio_of(const Point& aligned, const Point& one_more) {
  const double work = flops(one_more.stages) / flops(aligned.stages);
  Ratio ratio{work * aligned.time.value / one_more.time.value, {}, {}};
  if (aligned.time.ci_low && one_more.time.ci_high) ratio.low = work * *aligned.time.ci_low / *one_more.time.ci_high;
  if (aligned.time.ci_high && one_more.time.ci_low) ratio.high = work * *aligned.time.ci_high / *one_more.time.ci_low;
  return ratio;
}

std::string conclusion(double n, const Ratio& ratio) {
  const bool known = ratio.low && ratio.high;
  const std::string interval = known ? fmt::format(" [{:.3f}, {:.3f}]", *ratio.low, *ratio.high) : "";
  return fmt::format("At n = {:.0f}, one more gives {:.3f}{} of the rate: {}.", n, ratio.value, interval,
                     !known || (*ratio.low <= 1 && *ratio.high >= 1) ? "no difference was shown"
                     : ratio.value < 1                               ? "the size that fits no tile costs"
                                                                     : "the size that fits no tile costs nothing");
}

}  // namespace

std::vector<Case> plan_misalignment(const DeviceInfo& device, Operators) {
  const bool cpu = is_cpu(device);
  Case one{.op = "gemm"};
  for (const Index n : cpu ? std::vector<Index>{256, 512, 1024} : std::vector<Index>{1024, 4096, 8192}) {
    for (const Index size : {n, n + 1}) one.params.push_back({{"m", size}, {"n", size}, {"k", size}});
  }
  return {one};
}

std::vector<SeriesAnswer> answer_misalignment(const Result& result) {
  std::vector<SeriesAnswer> answers;
  for (const Series& series : series_of(result, "gemm")) {
    SeriesAnswer answer;
    answer.subject = "misalignment: " + series.subject();
    for (const Point* aligned : series.points) {
      const double n = size_of(*aligned, "n");
      const auto one_more =
          std::ranges::find_if(series.points, [&](const Point* point) { return size_of(*point, "n") == n + 1; });
      if (one_more == series.points.end()) continue;
      const Ratio ratio = ratio_of(*aligned, **one_more);
      answer.add({{"n", "n", n},
                  {"flop_per_s", "rate at n", flop_per_s(*aligned), "flop/s"},
                  {"one_more_flop_per_s", "rate at n + 1", flop_per_s(**one_more), "flop/s"},
                  {"ratio", "ratio", ratio.value},
                  {"ratio_low", "at least", ratio.low},
                  {"ratio_high", "at most", ratio.high}});
      answer.conclusion += (answer.conclusion.empty() ? "" : " ") + conclusion(n, ratio);
    }
    if (answer.rows.empty()) answer.conclusion = "No pair of sizes was measured.";
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace gable::experiment
