#include "backends/openmp/ceilings/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "backends/openmp/ceilings/row.hpp"
#include "backends/openmp/ceilings/stream_benchmark.hpp"

namespace gable::openmp {
namespace {

constexpr double kib = 1024.0;

/// Median rate over the working sets in [low, high].
std::optional<double> plateau(std::span<const double> sizes, std::span<const double> rates, double low, double high) {
  std::vector<double> inside;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] >= low && sizes[i] <= high) inside.push_back(rates[i]);
  }
  if (inside.empty()) return {};
  const auto middle = inside.begin() + static_cast<std::ptrdiff_t>(inside.size() / 2);
  std::nth_element(inside.begin(), middle, inside.end());
  return *middle;
}

/// First working set above `from` whose rate is below `threshold` and stays so in the next point.
std::optional<double> falls_below(std::span<const double> sizes, std::span<const double> rates, double from,
                                  double threshold) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool stays = i + 1 >= sizes.size() || rates[i + 1] < threshold;
    if (sizes[i] > from && rates[i] < threshold && stays) return sizes[i];
  }
  return {};
}

std::string verdict(std::span<const Level> levels, std::size_t i, std::span<const double> sizes,
                    std::span<const double> rates) {
  const auto& level = levels[i];
  const double inside = i > 0 ? levels[i - 1].capacity_bytes : 0.0;
  const double next = i + 1 < levels.size() ? levels[i + 1].capacity_bytes : 0.0;
  const auto here = plateau(sizes, rates, 1.5 * inside, 0.75 * level.capacity_bytes);
  const auto beyond = plateau(sizes, rates, 2.0 * level.capacity_bytes, next > 0 ? 0.75 * next : sizes.back());
  if (!here || !beyond) return fmt::format("{} not confirmed: too few working sets around it", level.name);
  const auto plateau_text = fmt::format("{:.3g} GB/s inside, {:.3g} beyond", *here * 1e-9, *beyond * 1e-9);
  if (*beyond > 0.9 * *here) {
    return fmt::format("{} not confirmed: no step at {:.0f} KiB ({})", level.name, level.capacity_bytes / kib,
                       plateau_text);
  }
  const auto fall = falls_below(sizes, rates, std::max(1.5 * inside, sizes.front()), std::sqrt(*here * *beyond));
  const bool near = fall && *fall >= 0.5 * level.capacity_bytes && *fall <= 2.0 * level.capacity_bytes;
  return fmt::format("{} {}: {:.0f} KiB by topology, bandwidth falls at {:.0f} KiB ({})", level.name,
                     near ? "confirmed" : "not confirmed", level.capacity_bytes / kib, fall.value_or(0.0) / kib,
                     plateau_text);
}

void measure_sweep(Setup& setup, Curve& curve, const StreamChoice& choice) {
  const double largest = static_cast<double>(setup.memory().size_bytes());
  for (const double size : sweep_sizes(setup.threads(), largest, setup.full() ? 4 : 2)) {
    StreamBenchmark benchmark(setup, choice, size);
    const auto rate = measure::measure(benchmark, {benchmark.bytes_per_pass(), true}, setup.policies.curve);
    curve.x.push_back(benchmark.working_set_bytes());
    curve.y.push_back(rate.value);
  }
  curve.reason = confirm_levels(setup.levels(), curve.x, curve.y);
}

}  // namespace

std::vector<double> sweep_sizes(int threads, double largest, int per_octave) {
  std::vector<double> sizes;
  const double first = 4.0 * kib * threads;
  for (int i = 0;; ++i) {
    const double size = first * std::exp2(static_cast<double>(i) / per_octave);
    if (size > largest * (1.0 + 1e-9)) return sizes;
    sizes.push_back(size);
  }
}

std::string confirm_levels(std::span<const Level> levels, std::span<const double> sizes,
                           std::span<const double> rates) {
  std::string text;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].capacity_bytes <= 0 || sizes.empty()) continue;
    if (!text.empty()) text += "; ";
    text += verdict(levels, i, sizes, rates);
  }
  return text;
}

std::vector<Item> working_set_sweeps(const SharedSetup& setup) {
  std::vector<Item> items;
  for (const auto access : {Access::read, Access::copy, Access::triad}) {
    Curve curve;
    curve.name = "working_set_sweep";
    curve.series = to_string(access);
    curve.x_name = "working_set";
    curve.x_unit = "byte";
    curve.y_name = "bandwidth";
    curve.y_unit = "byte/s";
    const auto choice =
        stream_kernel(setup->instructions, access, access == Access::read ? Stores::none : Stores::ordinary);
    if (choice.kernel == nullptr) {
      curve.status = Status::unsupported;
      curve.reason = "no instruction set of this CPU has a kernel for it";
    }
    const int per_octave = setup->full() ? 4 : 2;
    const double passes_s = 15.0 * per_octave * setup->sets().back().bytes / (1e10 * setup->threads());
    const double expected_s = 15.0 * per_octave * expected_seconds(setup->policies.curve) + passes_s;
    items.push_back(curve_item(setup, std::move(curve), fmt::format("Working-set sweep, {}", to_string(access)),
                               expected_s, [choice](Setup& s, Curve& c) { measure_sweep(s, c, choice); }));
  }
  return items;
}

}  // namespace gable::openmp
