#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/result/validate.hpp"

namespace gable::result {
namespace {

using Findings = std::vector<Finding>;

constexpr double most_percent = 101.0;

/// Adds findings about one row.
class RowCheck {
 public:
  RowCheck(Findings& findings, std::string where) : findings_(findings), where_(std::move(where)) {}

  void require(bool good, std::string what) {
    if (!good) findings_.push_back({false, where_, std::move(what)});
  }
  /// `value` has to be finite and above zero.
  void positive(double value, std::string_view what) {
    require(std::isfinite(value) && value > 0, fmt::format("{} is {}, not positive", what, value));
  }

 private:
  Findings& findings_;
  std::string where_;
};

void check_interval(RowCheck& check, double value, std::optional<double> low, std::optional<double> high,
                    std::string_view what) {
  check.require(low.has_value() == high.has_value(), fmt::format("{}: an interval with one end", what));
  if (!low || !high) return;
  check.require(*low <= value && value <= *high,
                fmt::format("{} {} is outside its interval [{}, {}]", what, value, *low, *high));
}

void check_estimate(RowCheck& check, const Estimate& estimate, std::string_view what) {
  check.positive(estimate.value, what);
  check.positive(estimate.median, "median");
  check_interval(check, estimate.value, estimate.ci_low, estimate.ci_high, what);
  check_interval(check, estimate.median, estimate.median_ci_low, estimate.median_ci_high, "median");
  check.positive(estimate.blocks, "blocks");
  check.positive(estimate.used_blocks, "used_blocks");
  check.require(estimate.used_blocks <= estimate.blocks,
                fmt::format("used_blocks {} of {} blocks", estimate.used_blocks, estimate.blocks));
  check.require(estimate.samples.size() == static_cast<std::size_t>(std::max(estimate.blocks, 0)),
                fmt::format("{} samples for {} blocks", estimate.samples.size(), estimate.blocks));
}

/// What every kind of row has: a known device, a status with its reason.
template <class Row>
RowCheck common(Findings& findings, const Row& row, std::string_view kind, const std::set<std::string>& devices) {
  RowCheck check(findings, fmt::format("{} {} {}", kind, row.device, row.id));
  check.require(devices.contains(row.device), fmt::format("refers to device '{}', which is not there", row.device));
  check.require(row.status == Status::ok || !row.reason.empty(),
                fmt::format("{} without a reason", to_string(row.status)));
  return check;
}

bool measured(Status status) { return status == Status::ok || status == Status::suspect; }

void check_percent(RowCheck& check, std::optional<double> percent, std::string_view what) {
  if (percent) check.require(*percent <= most_percent, fmt::format("{:.1f} % of {}", *percent, what));
}

void check_ceiling(Findings& findings, const Ceiling& row, const std::set<std::string>& devices) {
  auto check = common(findings, row, "ceiling", devices);
  if (!measured(row.status)) return;
  check_estimate(check, row.value, "value");
  check.positive(row.threads, "threads");
  if (row.working_set_bytes) check.positive(*row.working_set_bytes, "working_set_bytes");
  if (row.conditions.clock_hz) check.positive(*row.conditions.clock_hz, "clock_hz");
  if (row.status != Status::ok) return;  // the row itself says that it is too high
  // Not the datasheet's figure: it holds at the datasheet's clock, which a boost exceeds.
  check_percent(check, percent_at_clock(row), "what the units can do at the observed clock");
}

void check_point(Findings& findings, const Point& row, const std::set<std::string>& devices) {
  auto check = common(findings, row, "point", devices);
  if (!measured(row.status)) return;
  check_estimate(check, row.time, "time_s");
  check.require(row.threads > 0 || row.implementation == "user", "threads is not positive");
  check.require(!row.stages.empty(), "no stages");
  for (const auto& stage : row.stages) {
    check.require(stage.launches >= 0, fmt::format("stage '{}': launches is negative", stage.name));
    check.require(stage.bytes_read >= 0 && stage.bytes_written >= 0 && bytes(stage) > 0,
                  fmt::format("stage '{}': no bytes move", stage.name));
    for (const auto& work : stage.work)
      check.positive(work.operations, fmt::format("stage '{}': operations", stage.name));
  }
  if (row.status == Status::ok && row.fraction_of_limit) {
    check_percent(check, *row.fraction_of_limit * 100, "its limit: faster than the roof allows");
  }
}

void check_curve(Findings& findings, const Curve& row, const std::set<std::string>& devices) {
  auto check = common(findings, row, "curve", devices);
  check.require(row.x.size() == row.y.size(), fmt::format("{} x for {} y", row.x.size(), row.y.size()));
  if (!measured(row.status)) return;
  check.require(!row.x.empty(), "no points");
  for (const double y : row.y) {
    if (std::isfinite(y) && y > 0) continue;
    check.positive(y, fmt::format("{} of the curve", row.y_name));
    break;
  }
}

template <class Rows>
void check_unique(Findings& findings, const Rows& rows, std::string_view kind) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& row : rows) {
    if (seen.emplace(row.device, row.id).second) continue;
    findings.push_back({false, fmt::format("{} {} {}", kind, row.device, row.id), "this id is there twice"});
  }
}

/// Among like rows (same scope, threads, mix and stores) an inner level must not be slower than an outer one, beyond
/// both intervals.
void check_hierarchy(Findings& findings, const Result& result, const DeviceInfo& device) {
  using Key = std::tuple<Scope, int, Access, Stores, std::string>;
  std::map<Key, std::map<std::string, const Ceiling*>> groups;
  for (const auto& row : result.ceilings) {
    if (row.device != device.id || row.kind != CeilingKind::bandwidth || row.status != Status::ok) continue;
    const auto*& fastest = groups[{row.scope, row.threads, row.access, row.stores, row.variant}][row.name];
    if (fastest == nullptr || row.value.value > fastest->value.value) fastest = &row;
  }
  for (const auto& [key, levels] : groups) {
    const Ceiling* inner = nullptr;
    for (const auto& level : device.memory) {
      const auto found = levels.find(level.name);
      if (found == levels.end()) continue;
      const Ceiling* outer = found->second;
      if (inner != nullptr) {
        const double inner_high = inner->value.ci_high.value_or(inner->value.value);
        const double outer_low = outer->value.ci_low.value_or(outer->value.value);
        RowCheck check(findings, fmt::format("ceiling {} {}", inner->device, inner->id));
        check.require(inner_high >= outer_low,
                      fmt::format("{} at {:.4g} {} is slower than {} at {:.4g}", inner->name, inner->value.value,
                                  inner->unit, outer->name, outer->value.value));
      }
      inner = outer;
    }
  }
}

}  // namespace

std::vector<Finding> plausibility(const Result& result) {
  Findings findings;
  std::set<std::string> devices;
  for (const auto& device : result.devices) {
    if (!devices.insert(device.id).second) findings.push_back({false, "device " + device.id, "this id is there twice"});
  }
  check_unique(findings, result.ceilings, "ceiling");
  check_unique(findings, result.curves, "curve");
  check_unique(findings, result.points, "point");
  for (const auto& row : result.ceilings) check_ceiling(findings, row, devices);
  for (const auto& row : result.curves) check_curve(findings, row, devices);
  for (const auto& row : result.points) check_point(findings, row, devices);
  for (const auto& device : result.devices) check_hierarchy(findings, result, device);
  return findings;
}

}  // namespace gable::result
