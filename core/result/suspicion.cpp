#include "core/result/suspicion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "core/model/units.hpp"

namespace gable::result {
namespace {

constexpr double tolerated = 1.01;

double low(const Ceiling& row) { return row.value.ci_low.value_or(row.value.value); }
double high(const Ceiling& row) { return row.value.ci_high.value_or(row.value.value); }

/// What must agree for two levels' bandwidths to be compared.
using Key = std::tuple<Scope, int, Access, Stores, OperatingPoint, std::string>;
/// Indices of the rows of each level, by its name.
using Levels = std::map<std::string, std::vector<std::size_t>>;

std::map<Key, Levels> bandwidths_of(const Result& result, const DeviceInfo& device) {
  std::map<Key, Levels> groups;
  for (std::size_t i = 0; i < result.ceilings.size(); ++i) {
    const Ceiling& row = result.ceilings[i];
    if (row.device != device.id || row.kind != CeilingKind::bandwidth || row.status != Status::ok) continue;
    groups[{row.scope, row.threads, row.access, row.stores, row.at, row.variant}][row.name].push_back(i);
  }
  return groups;
}

/// The row is above its theoretical peak, or above the inner level's bandwidth; empty if it is neither.
std::string too_fast(const Ceiling& row, const Ceiling* inner) {
  if (row.datasheet && low(row) > tolerated * *row.datasheet) {
    return fmt::format(
        "{} at {} is {:.1f} % of its theoretical bandwidth: its data probably stayed in a cache, or the "
        "memory is faster than the datasheet's",
        row.name, format_quantity(low(row), row.unit), low(row) / *row.datasheet * 100);
  }
  if (inner && low(row) > tolerated * high(*inner)) {
    return fmt::format("{} at {} is faster than {} at {}: its data probably stayed in a cache, or {} was disturbed",
                       row.name, format_quantity(low(row), row.unit), inner->name,
                       format_quantity(high(*inner), inner->unit), inner->name);
  }
  return {};
}

void judge(const Result& result, const DeviceInfo& device, const Levels& levels, std::vector<Suspicion>& found) {
  const Ceiling* inner = nullptr;
  for (const MemoryLevel& level : device.memory) {
    const auto rows = levels.find(level.name);
    if (rows == levels.end()) continue;
    const Ceiling* fastest = nullptr;
    for (const std::size_t i : rows->second) {
      const Ceiling& row = result.ceilings[i];
      if (auto reason = too_fast(row, inner); !reason.empty()) {
        found.push_back({i, std::move(reason)});
      } else if (!fastest || high(row) > high(*fastest)) {
        fastest = &row;
      }
    }
    if (fastest) inner = fastest;
  }
}

}  // namespace

std::vector<Suspicion> suspicious_bandwidths(const Result& result) {
  std::vector<Suspicion> found;
  for (const DeviceInfo& device : result.devices) {
    for (const auto& [key, levels] : bandwidths_of(result, device)) judge(result, device, levels, found);
  }
  return found;
}

void mark_suspects(Result& result) {
  for (Suspicion& suspicion : suspicious_bandwidths(result)) {
    Ceiling& row = result.ceilings[suspicion.ceiling];
    row.status = Status::suspect;
    row.reason = std::move(suspicion.reason);
  }
}

}  // namespace gable::result
