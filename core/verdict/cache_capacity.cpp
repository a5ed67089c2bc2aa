#include "core/verdict/cache_capacity.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string_view>

#include "core/measure/rounds.hpp"
#include "core/measure/statistics.hpp"
#include "core/model/capacity.hpp"
#include "core/verdict/roofs.hpp"

namespace gable {
namespace {

/// Whether the curve was measured on this device at this scope, whole and undisturbed.
bool is_good(const Curve& curve, std::string_view device, Scope scope) {
  return curve.device == device && curve.scope == scope && curve.x.size() == curve.y.size() &&
         curve.status == Status::ok;
}

bool is_chase(const Curve& curve) { return curve.name == latency_sweep && curve.series == chase_series; }

/// What one series shows, of figures that are rates or times.
std::vector<std::optional<CacheStep>> steps_of(const Curve& curve, std::span<const double> told,
                                               std::span<const double> figures) {
  std::vector<double> sets, seconds;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if ((!sets.empty() && curve.x[i] <= sets.back()) || !(figures[i] > 0)) continue;
    sets.push_back(curve.x[i]);
    seconds.push_back(curve.y_unit == "s" ? figures[i] : 1 / figures[i]);
  }
  return cache_steps(told, sets, seconds);
}

/// What several curves find of one cache.
class Found {
 public:
  void add(const Curve& curve, std::span<const double> told, std::size_t cache) {
    const auto step = steps_of(curve, told, curve.y)[cache];
    if (!step) return;
    whole_.push_back(step->whole);
    holds_.push_back(step->holds);
    std::vector<double> whole, holds;
    const std::size_t count = curve.x.size();
    for (std::size_t at = 0; at + count <= curve.of_rounds.size(); at += count) {
      const auto one = steps_of(curve, told, std::span(curve.of_rounds).subspan(at, count))[cache];
      if (!one) continue;
      whole.push_back(one->whole);
      holds.push_back(one->holds);
    }
    std::vector<int> rounds(whole.size());
    std::iota(rounds.begin(), rounds.end(), 0);
    for (const auto& interval : {measure::between_rounds(whole, rounds), measure::between_rounds(holds, rounds)}) {
      if (interval) ends_.insert(ends_.end(), {interval->low, interval->high});
    }
  }
  /// No more than the system tells.
  std::optional<FoundBytes> bytes(double told) const {
    if (whole_.empty()) return {};
    std::vector<double> all = whole_;
    all.insert(all.end(), holds_.begin(), holds_.end());
    all.insert(all.end(), ends_.begin(), ends_.end());
    const auto [low, high] = std::ranges::minmax(all);
    return FoundBytes{std::min(told, measure::median(whole_)), std::min(told, low), std::min(told, high)};
  }

 private:
  std::vector<double> whole_, holds_, ends_;
};

}  // namespace

std::vector<std::optional<CacheStep>> chase_steps(std::span<const Curve> curves, const DeviceInfo& device,
                                                  Scope scope) {
  for (const Curve& curve : curves) {
    if (is_good(curve, device.id, scope) && is_chase(curve))
      return steps_of(curve, bytes_of_caches(levels_of(device, scope, 1)), curve.y);
  }
  return {};
}

std::vector<CacheCapacity> cache_capacities(const Result& result, const std::string& device, Scope scope) {
  std::vector<const Curve*> sweeps, chases;
  for (const Curve& curve : result.curves) {
    if (!is_good(curve, device, scope)) continue;
    if (curve.name == working_set_sweep) sweeps.push_back(&curve);
    if (is_chase(curve)) chases.push_back(&curve);
  }
  std::vector<CacheCapacity> caches;
  if (sweeps.empty() && chases.empty()) return caches;
  const auto info = std::ranges::find(result.devices, device, &DeviceInfo::id);
  if (info == result.devices.end()) return caches;
  const int threads = sweeps.empty() ? 0 : sweeps.front()->threads;
  const auto levels = levels_of(*info, scope, threads);
  const auto told = bytes_of_caches(levels), told_to_one = bytes_of_caches(levels_of(*info, scope, 1));
  for (std::size_t i = 0; i < told.size(); ++i) {
    Found by_streams, by_chase;
    for (const Curve* curve : sweeps) by_streams.add(*curve, told, i);
    for (const Curve* curve : chases) by_chase.add(*curve, told_to_one, i);
    caches.push_back(
        {levels[i].name, told[i], by_streams.bytes(told[i]), told_to_one[i], by_chase.bytes(told_to_one[i])});
  }
  return caches;
}

}  // namespace gable
