#include "core/verdict/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/model/units.hpp"

namespace gable::verdict {
namespace {

constexpr double tolerated = 1.01;
/// What a library may reach of a unit's burst: a kernel some percent below it is short of the best, not disturbed.
constexpr double tolerated_of_library = 1.1;
/// Caches are faster than what lies behind them by more than that.
constexpr double most_of_next_level = 5.0 / 8;
/// A latency is that of its level in a chase over working sets, if it is no more than so many times that.
constexpr double near_the_ladder = 1.25;
/// Of the share of its unit's rate that another type reached, so much has to be reached.
constexpr double least_of_other_type = 0.7;

std::string low_of(const Ceiling& row) { return format_quantity(row.value.low(), row.unit); }
std::string high_of(const Ceiling& row) { return format_quantity(row.value.high(), row.unit); }

bool is_of_level(const Peer& peer, CeilingKind kind, const DeviceInfo& device) {
  return peer.row->kind == kind && peer.depth < device.memory.size();
}

bool same_bandwidth(const Ceiling& a, const Ceiling& b) {
  const auto key = [](const Ceiling& row) {
    return std::tie(row.scope, row.threads, row.access, row.stores, row.at, row.variant);
  };
  return key(a) == key(b);
}

/// Whether both are of the same unit, types and variant.
bool same_unit(const Ceiling& a, const Ceiling& b) {
  const auto unit = [](const Ceiling& row) {
    return std::tie(row.scope, row.threads, row.name, row.dtype, row.accumulate, row.variant);
  };
  return unit(a) == unit(b);
}

bool is_kernel(const Ceiling& row) {
  return row.kind == CeilingKind::compute && (row.at == OperatingPoint::burst || row.at == OperatingPoint::sustained);
}

bool beats(const Ceiling& faster, const Ceiling& row) {
  const double margin = faster.at == OperatingPoint::library ? tolerated_of_library : tolerated;
  return faster.value.low() > margin * row.value.high();
}

std::string below(const Ceiling& row, const Ceiling& faster, const char* who) {
  return fmt::format("{} at {} is less than the {} that {}", to_string(row.at), high_of(row), low_of(faster), who);
}

/// Whether its share of what its unit can do is known well enough to doubt a measurement by it.
bool has_share(const Ceiling& row, const DeviceInfo& device) {
  if (!is_kernel(row) || !row.dtype || !row.theory_at_clock || !row.variant.empty()) return false;
  return std::ranges::any_of(device.peaks, [&](const TheoreticalPeak& peak) {
    return peak.name == row.name && peak.dtype == row.dtype &&
           (!peak.accumulate || !row.accumulate || peak.accumulate == row.accumulate) &&
           peak.confidence != Confidence::unconfirmed;
  });
}

/// How far the best kernels of one unit, type and operating point come, of what the unit can do at the observed clock:
/// the best lower and the best upper end.
struct UnitShare {
  double low{}, high{};
};
UnitShare share_of(const Ceiling& row, std::span<const Peer> peers, const DeviceInfo& device) {
  UnitShare best;
  for (const Peer& peer : peers) {
    const Ceiling& other = *peer.row;
    if (other.at != row.at || !same_unit(other, row) || !has_share(other, device)) continue;
    best.low = std::max(best.low, other.value.low() / *other.theory_at_clock);
    best.high = std::max(best.high, other.value.high() / *other.theory_at_clock);
  }
  return best;
}

}  // namespace

std::vector<Peer> peers_of(std::span<Ceiling> ceilings, const DeviceInfo& device, CeilingKind kind) {
  std::vector<Peer> peers;
  for (Ceiling& row : ceilings) {
    if (row.device != device.id || row.kind != kind || row.status != Status::ok || row.imported) continue;
    const auto level = std::ranges::find(device.memory, row.name, &MemoryLevel::name);
    peers.push_back({&row, static_cast<std::size_t>(level - device.memory.begin())});
  }
  std::ranges::stable_sort(peers, {}, &Peer::depth);
  return peers;
}

std::string above_datasheet(const Peer& peer, std::span<const Peer>, const DeviceInfo& device) {
  const Ceiling& row = *peer.row;
  if (!is_of_level(peer, CeilingKind::bandwidth, device) || !row.datasheet) return {};
  if (!(row.value.low() > tolerated * *row.datasheet)) return {};
  return fmt::format(
      "{} at {} is {:.1f} % of its theoretical bandwidth: its data probably stayed in a cache, or the memory is faster "
      "than the datasheet's",
      row.name, low_of(row), row.value.low() / *row.datasheet * 100);
}

std::string above_inner_level(const Peer& peer, std::span<const Peer> peers, const DeviceInfo& device) {
  if (!is_of_level(peer, CeilingKind::bandwidth, device)) return {};
  const Ceiling& row = *peer.row;
  const Peer* inner = nullptr;  // the fastest of the next level
  for (const Peer& other : peers) {
    if (other.depth >= peer.depth) break;
    if (!other.doubt.empty() || !same_bandwidth(*other.row, row)) continue;
    if (!inner || other.depth > inner->depth || other.row->value.high() > inner->row->value.high()) inner = &other;
  }
  if (!inner || !(row.value.low() > tolerated * inner->row->value.high())) return {};
  return fmt::format("{} at {} is faster than {} at {}: its data probably stayed in a cache, or {} was disturbed",
                     row.name, low_of(row), inner->row->name, high_of(*inner->row), inner->row->name);
}

namespace {

/// The chases alike of levels further out.
std::vector<const Ceiling*> outer_latencies(const Peer& peer, std::span<const Peer> peers, const DeviceInfo& device) {
  std::vector<const Ceiling*> rows;
  if (!is_of_level(peer, CeilingKind::latency, device)) return rows;
  const Ceiling& row = *peer.row;
  for (const Peer& other : peers) {
    const Ceiling& outer = *other.row;
    const bool alike =
        outer.scope == row.scope && outer.implementation == row.implementation && outer.variant == row.variant;
    if (alike && is_of_level(other, CeilingKind::latency, device) && other.depth > peer.depth) rows.push_back(&outer);
  }
  return rows;
}

}  // namespace

std::string slower_than_outer_level(const Peer& peer, std::span<const Peer> peers, const DeviceInfo& device) {
  const Ceiling& row = *peer.row;
  for (const Ceiling* outer : outer_latencies(peer, peers, device)) {
    if (row.value.low() > tolerated * outer->value.high())
      return fmt::format("{} at {} is slower than {} at {}, which lies further out: disturbed", row.name, low_of(row),
                         outer->name, high_of(*outer));
  }
  return {};
}

namespace {

/// Whether the chase over working sets shows that the row's working set is served by its level.
bool ladder_confirms(const Peer& peer) {
  const Ceiling& row = *peer.row;
  return peer.step && row.working_set_bytes && *row.working_set_bytes <= peer.step->whole &&
         row.value.value <= near_the_ladder * peer.step->here_s;
}

}  // namespace

std::string like_the_next_level(const Peer& peer, std::span<const Peer> peers, const DeviceInfo& device) {
  const auto outer = outer_latencies(peer, peers, device);
  if (outer.empty() || !is_cpu(device) || ladder_confirms(peer) ||
      !(peer.row->value.value > most_of_next_level * outer.front()->value.value))
    return {};
  return fmt::format(
      "{} at {} cannot be told from {} at {}: most accesses went there, as others have that part of the cache",
      peer.row->name, format_quantity(peer.row->value.value, "s"), outer.front()->name,
      format_quantity(outer.front()->value.value, "s"));
}

std::string below_library(const Peer& peer, std::span<const Peer> peers, const DeviceInfo&) {
  const Ceiling& row = *peer.row;
  if (!is_kernel(row)) return {};
  for (const Peer& other : peers) {
    const Ceiling& library = *other.row;
    if (library.at != OperatingPoint::library || !same_unit(library, row) || !beats(library, row)) continue;
    const bool near = std::ranges::any_of(peers, [&](const Peer& burst) {  // a sustained row may then well be slower
      return burst.row->at == OperatingPoint::burst && same_unit(*burst.row, row) && !beats(library, *burst.row);
    });
    if (!near) return below(row, library, "a library reached: disturbed, or no kernel that fills the unit");
  }
  return {};
}

std::string below_own_operator(const Ceiling& row, std::span<const Point> points) {
  if (row.kind != CeilingKind::compute || row.at != OperatingPoint::library || !row.dtype || !row.variant.empty())
    return {};
  Types types = uniform_types(*row.dtype);
  if (row.accumulate) types.accumulate = *row.accumulate;
  for (const Point& point : points) {
    const bool same = point.status == Status::ok && point.device == row.device && point.scope == row.scope &&
                      point.threads == row.threads && point.implementation == row.implementation;
    if (!same ||
        std::tie(point.types.a, point.types.b, point.types.accumulate) != std::tie(types.a, types.b, types.accumulate))
      continue;
    double products = 0;
    for (const Stage& stage : point.stages) {
      for (const UnitWork& work : stage.work) products += work.unit == Unit::multiply_add ? work.operations : 0;
    }
    const double reached = products / point.time.high();
    if (!(reached > tolerated_of_library * row.value.high())) continue;
    return fmt::format("{} is less than the {} that {} reached as {}: somebody else had a part of the unit",
                       high_of(row), format_quantity(reached, row.unit), row.implementation, point.id);
  }
  return {};
}

std::string below_sustained(const Peer& peer, std::span<const Peer> peers, const DeviceInfo&) {
  const Ceiling& row = *peer.row;
  if (!is_kernel(row) || row.at != OperatingPoint::burst) return {};
  for (const Peer& other : peers) {
    const Ceiling& sustained = *other.row;
    if (sustained.at == OperatingPoint::sustained && sustained.implementation == row.implementation &&
        same_unit(sustained, row) && beats(sustained, row))
      return below(row, sustained, "the unit sustained: disturbed");
  }
  return {};
}

std::string below_other_type(const Peer& peer, std::span<const Peer> peers, const DeviceInfo& device) {
  const Ceiling& row = *peer.row;
  // GPUs are sold with some units of their architecture cut away
  if (!is_cpu(device) || !has_share(row, device)) return {};
  const double reached = share_of(row, peers, device).high;
  for (const Peer& one : peers) {
    const Ceiling& other = *one.row;
    const bool alike =
        other.at == row.at && other.name == row.name && other.scope == row.scope && other.threads == row.threads;
    if (!alike || !has_share(other, device)) continue;
    if (!(reached < least_of_other_type * other.value.low() / *other.theory_at_clock)) continue;
    return fmt::format(
        "{:.0f} % of what the {} unit can do in {} at the observed clock, where {} reached {:.0f} %: somebody else had "
        "a part of the unit, or the kernel does not fill it",
        100 * reached, row.name, to_string(*row.dtype), to_string(*other.dtype),
        100 * share_of(other, peers, device).low);
  }
  return {};
}

}  // namespace gable::verdict
