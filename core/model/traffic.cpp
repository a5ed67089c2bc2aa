#include "core/model/traffic.hpp"

#include <algorithm>

namespace gable {
namespace {
/// Working set over capacity: up to the first all of a cache's contents may be found again, from the second on nothing.
constexpr double useful_up_to = 2, useless_from = 4;

bool unbounded(const Level& level) { return !(level.capacity_bytes > 0); }

/// Share of the caches' contents that is counted on; the largest has so many bytes.
double found_again(double working_set, double largest_bytes, Residency residency) {
  const double times = working_set / largest_bytes;
  if (residency == Residency::most) return times < useless_from ? 1 : 0;
  return std::clamp((useless_from - times) / (useless_from - useful_up_to), 0.0, 1.0);
}
}  // namespace

std::vector<double> least_traffic(const Stage& stage, std::span<const Level> levels, bool cold, Residency residency) {
  std::vector<double> traffic(levels.size(), 0.0);
  if (levels.empty()) return traffic;
  const double all = bytes(stage);
  std::size_t first = levels.size() - 1;
  if (!cold) {
    const auto useful = std::ranges::find_if(levels, [&](const Level& level) {
      return unbounded(level) || stage.working_set < useless_from * level.capacity_bytes;
    });
    if (useful != levels.end()) first = static_cast<std::size_t>(useful - levels.begin());
  }
  traffic[first] = all;
  if (cold) return traffic;
  double held = 0, largest = 0;
  for (std::size_t i = 0; i < first; ++i) held += levels[i].capacity_bytes;
  for (std::size_t i = first; i + 1 < levels.size() && !unbounded(levels[i]); ++i) {
    held += levels[i].capacity_bytes;
    largest = std::max(largest, levels[i].capacity_bytes);
    if (stage.working_set <= held) break;
    traffic[i + 1] = all * (1 - found_again(stage.working_set, largest, residency) * held / stage.working_set);
  }
  return traffic;
}

}  // namespace gable
