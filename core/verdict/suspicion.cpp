#include "core/verdict/suspicion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/model/units.hpp"
#include "core/result/for_each_row.hpp"
#include "core/verdict/believed_clock.hpp"

namespace gable::verdict {
namespace {

constexpr double tolerated = 1.01;
/// What a library may reach of a unit's burst: a kernel some percent below it is short of the best, not disturbed.
constexpr double tolerated_of_library = 1.1;
/// Of the share of its unit's rate that another type reached, so much has to be reached.
constexpr double least_of_other_type = 0.7;
/// Half width of an interval, beyond which it says nothing of the machine.
constexpr double widest_percent = 25;

/// A ceiling that was measured but cannot be true, or says nothing.
struct Suspicion {
  std::size_t ceiling{};  ///< index into Result::ceilings
  std::string reason;     ///< what it exceeds, and the likely cause
};

/// What must agree for two levels' bandwidths to be compared.
using Key = std::tuple<Scope, int, Access, Stores, OperatingPoint, std::string>;
/// Indices of the rows of each level, by its name.
using Levels = std::map<std::string, std::vector<std::size_t>>;

/// The indices of the rows of one kind that are ok and belong to the device.
std::vector<std::size_t> rows_of(const Result& result, CeilingKind kind, const DeviceInfo& device) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < result.ceilings.size(); ++i) {
    const Ceiling& row = result.ceilings[i];
    if (row.device == device.id && row.kind == kind && row.status == Status::ok && !row.imported) rows.push_back(i);
  }
  return rows;
}

std::map<Key, Levels> bandwidths_of(const Result& result, const DeviceInfo& device) {
  std::map<Key, Levels> groups;
  for (const std::size_t i : rows_of(result, CeilingKind::bandwidth, device)) {
    const Ceiling& row = result.ceilings[i];
    groups[{row.scope, row.threads, row.access, row.stores, row.at, row.variant}][row.name].push_back(i);
  }
  return groups;
}

/// The row is above its theoretical peak, or above the inner level's bandwidth; empty if it is neither.
std::string too_fast(const Ceiling& row, const Ceiling* inner) {
  if (row.datasheet && row.value.low() > tolerated * *row.datasheet) {
    return fmt::format(
        "{} at {} is {:.1f} % of its theoretical bandwidth: its data probably stayed in a cache, or the "
        "memory is faster than the datasheet's",
        row.name, format_quantity(row.value.low(), row.unit), row.value.low() / *row.datasheet * 100);
  }
  if (inner && row.value.low() > tolerated * inner->value.high()) {
    return fmt::format("{} at {} is faster than {} at {}: its data probably stayed in a cache, or {} was disturbed",
                       row.name, format_quantity(row.value.low(), row.unit), inner->name,
                       format_quantity(inner->value.high(), inner->unit), inner->name);
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
      } else if (!fastest || row.value.high() > fastest->value.high()) {
        fastest = &row;
      }
    }
    if (fastest) inner = fastest;
  }
}

std::vector<Suspicion> suspicious_bandwidths(const Result& result) {
  std::vector<Suspicion> found;
  for (const DeviceInfo& device : result.devices) {
    for (const auto& [key, levels] : bandwidths_of(result, device)) judge(result, device, levels, found);
  }
  return found;
}

std::vector<Suspicion> too_wide(const Result& result) {
  std::vector<Suspicion> found;
  for (std::size_t i = 0; i < result.ceilings.size(); ++i) {
    const Ceiling& row = result.ceilings[i];
    if (row.status != Status::ok || !is_too_wide(row)) continue;
    found.push_back({i, fmt::format("interval of ±{:.0f} %: disturbed", *half_interval_percent(row.value))});
  }
  return found;
}

/// The level's place from the core outwards; nothing of a name that the device does not list.
std::optional<std::size_t> depth(const DeviceInfo& device, const std::string& level) {
  const auto found = std::ranges::find(device.memory, level, &MemoryLevel::name);
  if (found == device.memory.end()) return {};
  return static_cast<std::size_t>(found - device.memory.begin());
}

std::vector<Suspicion> slow_inner_latencies(const Result& result) {
  std::vector<Suspicion> found;
  for (const DeviceInfo& device : result.devices) {
    const auto rows = rows_of(result, CeilingKind::latency, device);
    for (const std::size_t i : rows) {
      const Ceiling& inner = result.ceilings[i];
      const auto slower_than = std::ranges::find_if(rows, [&](std::size_t j) {
        const Ceiling& outer = result.ceilings[j];
        const bool alike = outer.scope == inner.scope && outer.implementation == inner.implementation &&
                           outer.variant == inner.variant;
        const auto inside = depth(device, inner.name), outside = depth(device, outer.name);
        return alike && inside && outside && *inside < *outside && inner.value.low() > tolerated * outer.value.high();
      });
      if (slower_than == rows.end()) continue;
      const Ceiling& outer = result.ceilings[*slower_than];
      found.push_back({i, fmt::format("{} at {} is slower than {} at {}, which lies further out: disturbed", inner.name,
                                      format_quantity(inner.value.low(), inner.unit), outer.name,
                                      format_quantity(outer.value.high(), outer.unit))});
    }
  }
  return found;
}

/// Whether both are of the same unit, types and variant.
bool same_unit(const Ceiling& a, const Ceiling& b) {
  const auto unit = [](const Ceiling& row) {
    return std::tie(row.scope, row.threads, row.name, row.dtype, row.accumulate, row.variant);
  };
  return unit(a) == unit(b);
}

bool beats(const Ceiling& faster, const Ceiling& row) {
  const double margin = faster.at == OperatingPoint::library ? tolerated_of_library : tolerated;
  return faster.value.low() > margin * row.value.high();
}

/// What the row's own kernel sustained, if that shows that its burst was disturbed.
const Ceiling* sustained_above(const Ceiling& burst, const std::vector<const Ceiling*>& rows) {
  const auto found = std::ranges::find_if(rows, [&](const Ceiling* row) {
    return row->at == OperatingPoint::sustained && row->implementation == burst.implementation &&
           same_unit(*row, burst) && beats(*row, burst);
  });
  return found == rows.end() ? nullptr : *found;
}

/// A library that no burst of the row's unit comes near. (Where one does, a sustained row may well be slower.)
const Ceiling* library_above(const Ceiling& row, const std::vector<const Ceiling*>& rows) {
  const auto found = std::ranges::find_if(rows, [&](const Ceiling* library) {
    if (library->at != OperatingPoint::library || !same_unit(*library, row)) return false;
    return beats(*library, row) && std::ranges::none_of(rows, [&](const Ceiling* burst) {
             return burst->at == OperatingPoint::burst && same_unit(*burst, row) && !beats(*library, *burst);
           });
  });
  return found == rows.end() ? nullptr : *found;
}

std::string disturbed(const Ceiling& row, const Ceiling& faster) {
  return fmt::format("{} at {} is less than the {} that {}", to_string(row.at),
                     format_quantity(row.value.high(), row.unit), format_quantity(faster.value.low(), row.unit),
                     faster.at == OperatingPoint::library
                         ? "a library reached: disturbed, or no kernel that fills the unit"
                         : "the unit sustained: disturbed");
}

std::vector<Suspicion> slow_computes(const Result& result) {
  std::vector<Suspicion> found;
  for (const DeviceInfo& device : result.devices) {
    const auto indices = rows_of(result, CeilingKind::compute, device);
    std::vector<const Ceiling*> rows;
    rows.reserve(indices.size());
    for (const std::size_t i : indices) rows.push_back(&result.ceilings[i]);
    for (const std::size_t i : indices) {
      const Ceiling& row = result.ceilings[i];
      const bool burst = row.at == OperatingPoint::burst;
      if (!burst && row.at != OperatingPoint::sustained) continue;
      const Ceiling* faster = library_above(row, rows);
      if (!faster && burst) faster = sustained_above(row, rows);
      if (faster) found.push_back({i, disturbed(row, *faster)});
    }
  }
  return found;
}

/// Whether the rate that a row is judged by is known well enough to doubt a measurement by it.
bool has_known_rate(const DeviceInfo& device, const Ceiling& row) {
  return std::ranges::any_of(device.peaks, [&](const TheoreticalPeak& peak) {
    return peak.name == row.name && peak.dtype == row.dtype &&
           (!peak.accumulate || !row.accumulate || peak.accumulate == row.accumulate) &&
           peak.confidence != Confidence::unconfirmed;
  });
}

/// How far the best kernels of one unit, type and operating point come, of what the unit can do at the observed clock.
struct TypeShare {
  const Ceiling* like;   ///< one of their rows
  double low{}, high{};  ///< the best lower and the best upper end
  std::vector<std::size_t> rows;
};

std::vector<TypeShare> type_shares(const Result& result, const DeviceInfo& device) {
  std::vector<TypeShare> shares;
  for (const std::size_t i : rows_of(result, CeilingKind::compute, device)) {
    const Ceiling& row = result.ceilings[i];
    const bool judged = row.at == OperatingPoint::burst || row.at == OperatingPoint::sustained;
    if (!judged || !row.dtype || !row.theory_at_clock || !row.variant.empty() || !has_known_rate(device, row)) continue;
    auto type = std::ranges::find_if(
        shares, [&](const TypeShare& other) { return other.like->at == row.at && same_unit(*other.like, row); });
    if (type == shares.end()) type = shares.insert(type, TypeShare{&row, 0, 0, {}});
    type->low = std::max(type->low, row.value.low() / *row.theory_at_clock);
    type->high = std::max(type->high, row.value.high() / *row.theory_at_clock);
    type->rows.push_back(i);
  }
  return shares;
}

std::vector<Suspicion> uneven_types(const Result& result) {
  std::vector<Suspicion> found;
  for (const DeviceInfo& device : result.devices) {
    if (!is_cpu(device)) continue;  // GPUs are sold with some units of their architecture cut away
    const auto shares = type_shares(result, device);
    for (const TypeShare& type : shares) {
      const auto better = std::ranges::find_if(shares, [&](const TypeShare& other) {
        return other.like->at == type.like->at && other.like->name == type.like->name &&
               other.like->scope == type.like->scope && other.like->threads == type.like->threads &&
               type.high < least_of_other_type * other.low;
      });
      if (better == shares.end()) continue;
      for (const std::size_t i : type.rows) {
        found.push_back(
            {i, fmt::format("{:.0f} % of what the {} unit can do in {} at the observed clock, where {} reached {:.0f} "
                            "%: somebody else had a part of the unit, or the kernel does not fill it",
                            100 * type.high, type.like->name, to_string(*type.like->dtype),
                            to_string(*better->like->dtype), 100 * better->low)});
      }
    }
  }
  return found;
}

void mark(Result& result, std::vector<Suspicion> suspicions) {
  for (Suspicion& suspicion : suspicions) {
    Ceiling& row = result.ceilings[suspicion.ceiling];
    row.status = Status::suspect;
    row.reason = std::move(suspicion.reason);
  }
}

void mark_emulated(Result& result) {
  for (const DeviceInfo& device : result.devices) {
    if (!device.emulator) continue;
    for_each_row(result, [&](auto& row) {
      if (row.device != device.id || row.status != Status::ok) return;
      row.status = Status::suspect;
      row.reason = fmt::format("executed under emulation ({}): its time is that of the emulation", *device.emulator);
    });
  }
}

}  // namespace

bool is_too_wide(const Ceiling& row) { return half_interval_percent(row.value).value_or(0) > widest_percent; }

void mark_suspects(Result& result) {
  drop_impossible_clocks(result);
  mark_emulated(result);
  mark(result, too_wide(result));
  mark(result, suspicious_bandwidths(result));
  mark(result, slow_inner_latencies(result));
  mark(result, slow_computes(result));
  mark(result, uneven_types(result));
}

}  // namespace gable::verdict
