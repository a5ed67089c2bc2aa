#include "core/worker/borrowed_roofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/result/anonymous.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/merge.hpp"
#include "core/sequence.hpp"
#include "core/verdict/roofs.hpp"
#include "core/verdict/soundness.hpp"

namespace gable::worker {
namespace {

[[noreturn]] void refuse(const NamedResult& source, const std::string& why) {
  throw Error(fmt::format("--roofs: '{}' {}", source.name, why));
}

void check_host(const NamedResult& source, const Result& run) {
  const std::string& host = source.result.run.hostname;
  if (result::same_host(host, run.run.hostname)) return;
  if (host == run.run.hostname) refuse(source, "is anonymous: nothing says that it was measured on this machine");
  refuse(source, fmt::format("was measured on {}, this run is on {}", host, run.run.hostname));
}

/// The valid ceilings of a device at a scope.
std::vector<Ceiling> ceilings_at(const Result& result, const std::string& device, Scope scope) {
  auto rows = filtered(result.ceilings, [&](const Ceiling& row) { return row.device == device && row.scope == scope; });
  const auto valid = [](const Ceiling& row) { return row.status == Status::ok; };
  if (std::ranges::none_of(rows, valid)) rows.clear();
  return rows;
}

void check_threads(const NamedResult& source, const std::vector<Ceiling>& rows, const DeviceInfo& device, int threads) {
  const Scope scope = rows.front().scope;
  const int mine = part_of(device, scope, threads).cores;
  const int theirs = std::ranges::max(rows, {}, &Ceiling::threads).threads;
  if (mine == theirs) return;
  refuse(source, fmt::format("measured {} with {} threads at scope {}, this run takes {}", device.id, theirs,
                             to_string(scope), mine));
}

std::string note_of(const NamedResult& source, const DeviceInfo& device) {
  return fmt::format("the points of {} were placed by the ceilings of {} ({}, measured {})", device.id,
                     std::filesystem::path(source.name).filename().string(), to_string(source.result.run.mode),
                     source.result.run.started_at);
}

}  // namespace

BorrowedRoofs borrow_roofs(std::span<const NamedResult> sources, const Result& run, Scope scope, int threads) {
  BorrowedRoofs borrowed;
  std::map<std::pair<std::string, std::string>, std::string> owners;  // device and id of a ceiling: its file
  for (const NamedResult& source : sources) {
    check_host(source, run);
    bool known = false, used = false;
    for (const DeviceInfo& device : run.devices) {
      const auto same = [&](const DeviceInfo& other) { return result::same_device(device, other); };
      if (std::ranges::none_of(source.result.devices, same)) continue;
      known = true;
      auto rows = ceilings_at(source.result, device.id, scope);
      if (rows.empty()) continue;
      used = true;
      check_threads(source, rows, device, threads);
      for (Ceiling& row : rows) {
        const auto [owner, fresh] = owners.emplace(std::pair{device.id, row.id}, source.name);
        if (!fresh)
          refuse(source, fmt::format("has '{}' of {} as '{}' has: give one of them", row.id, device.id, owner->second));
        borrowed.ceilings.push_back(std::move(row));
      }
      std::ranges::copy_if(source.result.curves, std::back_inserter(borrowed.sweeps), [&](const Curve& curve) {
        return curve.device == device.id && curve.scope == scope && curve.name == working_set_sweep;
      });
      borrowed.notes.push_back(note_of(source, device));
    }
    if (!known) refuse(source, "is of other devices than this run's, or of one that has changed since");
    if (!used) refuse(source, fmt::format("has no valid ceiling at scope {}", to_string(scope)));
  }
  return borrowed;
}

namespace {

/// The streams that bound operators: where a point is faster than its roof, one of the two is wrong.
bool is_roof_of_main_memory(const Ceiling& row, const Result& result) {
  const auto device = std::ranges::find(result.devices, row.device, &DeviceInfo::id);
  return device != result.devices.end() && !device->memory.empty() && row.kind == CeilingKind::bandwidth &&
         row.name == device->memory.back().name && row.stores != Stores::non_temporal;
}

/// The roofs that a plain roofline consists of and most verdicts rest on: streams of main memory, reading from the
/// innermost cache, fp64 and fp32 on the vector unit, and the cost of a launch.
bool is_basic_roof(const Ceiling& row, const Result& result) {
  if (!row.variant.empty()) return false;
  if (row.kind == CeilingKind::compute)
    return row.name == to_string(Unit::vector) && (row.dtype == DType::fp64 || row.dtype == DType::fp32) &&
           row.at != OperatingPoint::library;
  if (row.kind == CeilingKind::overhead) return is_launch(row);
  const auto device = std::ranges::find(result.devices, row.device, &DeviceInfo::id);
  const bool is_innermost = device != result.devices.end() && !device->memory.empty() &&
                            row.name == device->memory.front().name && row.access == Access::read;
  return row.kind == CeilingKind::bandwidth && (is_innermost || is_roof_of_main_memory(row, result));
}

}  // namespace

worker::Doubtful doubtful_rows(Result result, Mode mode, const BorrowedRoofs& borrowed) {
  verdict::mark_suspects(result);
  set_verdicts(result, borrowed.ceilings, borrowed.sweeps);
  const bool too_fast = std::ranges::any_of(result.points, [](const Point& point) {
    return point.status == Status::suspect && point.fraction_of_limit.value_or(0) > 1;
  });
  worker::Doubtful doubtful;
  for_each_row(result, [&](const auto& row) {
    if (!worker::wants_another_round(row, mode)) return;
    (row.status == Status::ok ? doubtful.imprecise : doubtful.without_figure).insert(row.id);
    if (worker::is_certain(row, mode)) doubtful.certain.insert(row.id);
  });
  for (const Ceiling& row : result.ceilings) {
    if (too_fast && is_roof_of_main_memory(row, result)) doubtful.without_figure.insert(row.id);
    if (doubtful.without_figure.contains(row.id) && is_basic_roof(row, result)) doubtful.basic.insert(row.id);
  }
  return doubtful;
}

}  // namespace gable::worker
