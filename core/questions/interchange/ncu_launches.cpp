#include "core/questions/interchange/ncu_launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/text/parse_number.hpp"

namespace gable::interchange {
namespace {

constexpr double not_there = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view a_second = ".per_second", a_cycle = ".per_cycle_elapsed";

/// What the details page calls them ("Kernel Profiling Guide", MemoryWorkloadAnalysis and SpeedOfLight).
constexpr std::string_view duration_label = "Duration", throughput_label = "Memory Throughput";

bool is_time(std::string_view metric) {
  constexpr std::array<std::string_view, 4> all{"gpu__time_duration.sum", "gpu__time_duration.avg",
                                                "gpu__time_duration.max", duration_label};
  return std::ranges::count(all, metric) > 0;
}

/// Cycles of an SM over the cycles a second are the time where that was not asked for, as the scripts of NERSC's
/// roofline do it.
bool is_cycles(std::string_view metric) {
  constexpr std::array<std::string_view, 5> all{"sm__cycles_elapsed.avg", "smsp__cycles_elapsed.avg",
                                                "gpc__cycles_elapsed.avg", "sm__cycles_elapsed.max",
                                                "gpc__cycles_elapsed.max"};
  return std::ranges::count(all, metric) > 0;
}

NcuQuantity quantity_of(std::string_view name, std::string_view unit) {
  using enum NcuQuantity;
  if (is_time(name)) return time;
  if (name == throughput_label) return unit == "%" ? none : per_second;
  if (is_cycles(name)) return cycles;
  if (is_nvidia_counter(name)) return count;
  if (name.starts_with("derived__")) return is_nvidia_rate(name) ? per_cycle : none;
  for (const auto& [suffix, quantity] : {std::pair{a_second, per_second}, std::pair{a_cycle, per_cycle}}) {
    if (!name.ends_with(suffix)) continue;
    const std::string_view counted = name.substr(0, name.size() - suffix.size());
    if (is_cycles(counted) && quantity == per_second) return frequency;
    return is_nvidia_counter(counted) ? quantity : none;
  }
  return none;
}

std::optional<double> factor_of(NcuQuantity quantity, bool bytes, std::string_view unit) {
  using enum NcuQuantity;
  const auto seconds_of = [](std::string_view one) { return unit_factor(one, {"second", "s"}); };
  const auto of = [&](std::string_view one) {
    return bytes ? unit_factor(one, {"byte", "B"}) : unit_factor(one, {"", "inst", "sector", "cycle", "hz", "Hz"});
  };
  if (quantity == time) return seconds_of(unit);
  const auto slash = unit.find('/');
  if (slash == unit.npos && quantity != per_second) return of(unit);
  const auto above = of(unit.substr(0, slash));
  if (slash == unit.npos || !above) return {};
  const std::string_view below = unit.substr(slash + 1);
  if (quantity == per_cycle) return below == "cycle" ? above : std::nullopt;
  const auto seconds = seconds_of(below);
  return seconds && quantity != count && quantity != cycles ? std::optional(*above / *seconds) : std::nullopt;
}

}  // namespace

NcuMetric ncu_metric(std::string_view name, std::string_view unit, int line) {
  const NcuQuantity quantity = quantity_of(name, unit);
  if (quantity == NcuQuantity::none) return {};
  const bool bytes =
      name == throughput_label || name.find("__bytes") != name.npos || name.find("_t_bytes") != name.npos;
  if (const auto factor = factor_of(quantity, bytes, unit)) return {quantity, *factor};
  fail_at(line, "metric {} has the unit '{}', which is not known here", name, unit);
}

std::size_t NcuLaunches::metric(const std::string& name, NcuQuantity quantity) {
  const auto [place, added] = metric_at_.try_emplace(name, metrics_.size());
  if (added) metrics_.push_back({name, quantity});
  return place->second;
}

std::size_t NcuLaunches::launch(const std::string& kernel, double count) {
  const auto [place, added] = name_at_.try_emplace(kernel, names_.size());
  if (added) names_.push_back(kernel);
  launches_.push_back({place->second, count});
  return launches_.size() - 1;
}

std::size_t NcuLaunches::launch_of(const std::string& key, const std::string& kernel, double count) {
  const auto known = launch_at_.find(key);
  if (known != launch_at_.end() && kernel_name(known->second) == kernel) return known->second;
  const std::size_t made = launch(kernel, count);
  launch_at_.insert_or_assign(key, made);
  return made;
}

bool NcuLaunches::has(std::size_t launch, std::size_t metric) const {
  for (auto figure = figures_.rbegin(); figure != figures_.rend() && figure->launch == launch; ++figure) {
    if (figure->metric == metric) return true;
  }
  return false;
}

void NcuLaunches::add(std::size_t launch, std::size_t metric, double factor, std::string text, int line) {
  figures_.push_back({launch, metric, factor, line, std::move(text)});
}

void NcuLaunches::on_device(std::string_view device, int line) {
  if (device_.empty()) device_ = device;
  if (device != device_) fail_at(line, "device {} after device {}: profile one GPU a file", device, device_);
}

void NcuLaunches::of_capability(std::string_view text) {
  capability_ = parse_number<double>(text).value_or(0);
  if (capability_ > 0) contents_.processor = fmt::format("sm_{:.0f}", 10 * capability_);
}

Contents NcuLaunches::take() {
  if (launches_.empty()) throw Error("no kernel was profiled: the file has no line with figures");
  if (metrics_.empty())
    throw Error(
        "none of the metrics that a roofline needs is in it, and no time: docs/interchange.md has the call of ncu");
  refuse_cut_file();
  const std::vector<double> values = values_by_launch();
  std::size_t without_time = 0;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const double* const of_launch = values.data() + i * metrics_.size();
    const double seconds = seconds_of(of_launch);
    if (seconds > 0)
      add_to_kernel(launches_[i], of_launch, seconds);
    else
      ++without_time;
  }
  if (without_time == launches_.size())
    throw Error(fmt::format("kernel '{:.80}' has no time: profile it with gpu__time_duration.sum too", kernel_name(0)));
  if (without_time > 0)
    say(contents_.notes, "{} of {} launches have no time and are left out", without_time, launches_.size());
  for (const Metric& metric : metrics_) {
    const bool tells = metric.quantity == NcuQuantity::time || metric.quantity == NcuQuantity::cycles;
    if (tells && contents_.timed_by.empty()) contents_.timed_by = metric.name;
  }
  if (metric_at_.contains(throughput_label))
    contents_.notes.emplace_back(
        "bytes are those of Memory Throughput times Duration, as the details page rounds them: the raw page (--page "
        "raw) has them in full");
  return std::move(contents_);
}

void NcuLaunches::refuse_cut_file() const {
  std::vector<std::size_t> counts(launches_.size());
  for (const Figure& figure : figures_) ++counts[figure.launch];
  if (counts.size() > 1 && counts.back() < counts[counts.size() - 2])
    throw Error(
        fmt::format("the last kernel, '{:.80}', has {} of the metrics and the one before it {}: the file was cut off",
                    kernel_name(launches_.size() - 1), counts.back(), counts[counts.size() - 2]));
}

std::vector<double> NcuLaunches::values_by_launch() const {
  std::vector<double> values(launches_.size() * metrics_.size(), not_there);
  for (const Figure& figure : figures_) {
    const auto value = numbers_.value(figure.text, figure.line);
    if (!value) continue;
    if (*value < 0) fail_at(figure.line, "{} is negative: {}", metrics_[figure.metric].name, figure.text);
    const double scaled = *value * figure.factor;
    double& place = values[figure.launch * metrics_.size() + figure.metric];
    if (!std::isnan(place) && place != scaled)  // several sections of a page have the same metric
      fail_at(figure.line, "{} of one launch is there twice, with different figures", metrics_[figure.metric].name);
    place = scaled;
  }
  return values;
}

double NcuLaunches::first_of(NcuQuantity quantity, const double* values) const {
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (metrics_[i].quantity == quantity && !std::isnan(values[i])) return values[i];
  }
  return not_there;
}

double NcuLaunches::seconds_of(const double* values) const {
  if (const double time = first_of(NcuQuantity::time, values); !std::isnan(time)) return time;
  double derived = not_there;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (metrics_[i].quantity != NcuQuantity::cycles || !std::isnan(derived)) continue;
    const auto frequency = metric_at_.find(fmt::format("{}{}", metrics_[i].name, a_second));
    if (frequency != metric_at_.end()) derived = values[i] / values[frequency->second];
  }
  return derived;
}

double NcuLaunches::cycles_a_second(const double* values) const {
  for (const std::string_view of : {"smsp__cycles_elapsed.avg", "sm__cycles_elapsed.avg", "gpc__cycles_elapsed.avg"}) {
    const auto frequency = metric_at_.find(fmt::format("{}{}", of, a_second));
    if (frequency != metric_at_.end()) return values[frequency->second];
  }
  return not_there;
}

void NcuLaunches::add_to_kernel(const Launch& launch, const double* values, double seconds) {
  Kernel& kernel = contents_.kernels.kernel(names_[launch.kernel]);
  const double shortest = first_of(NcuQuantity::shortest, values), longest = first_of(NcuQuantity::longest, values);
  const bool of_one = launch.count == 1, of_many = !of_one && shortest > 0 && longest > 0;
  kernel.add_calls(launch.count, seconds * launch.count,
                   of_many  ? shortest
                   : of_one ? seconds
                            : 0,
                   of_many  ? longest
                   : of_one ? seconds
                            : 0);
  kernel.launches += 1;
  kernel.capability = capability_;
  const double elapsed = cycles_a_second(values) * seconds;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    using enum NcuQuantity;
    const NcuQuantity quantity = metrics_[i].quantity;
    const double times = quantity == count        ? 1
                         : quantity == per_second ? seconds
                         : quantity == per_cycle  ? elapsed
                                                  : not_there;
    const double value = values[i] * times * launch.count;
    if (!std::isnan(value)) contents_.kernels.add(kernel, metrics_[i].name, value);
  }
}

}  // namespace gable::interchange
