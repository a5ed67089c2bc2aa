#include "core/render/shown_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/device/datasheet.hpp"
#include "core/model/point.hpp"
#include "core/result/anonymous.hpp"
#include "core/result/merge.hpp"
#include "core/sequence.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::render {
namespace {

bool drawable(const Result& result, const std::string& device, Scope scope) {
  return std::ranges::any_of(result.ceilings,
                             [&](const Ceiling& row) {
                               return row.status == Status::ok && !row.imported && row.device == device &&
                                      row.scope == scope &&
                                      (row.kind == CeilingKind::compute || row.kind == CeilingKind::bandwidth);
                             }) ||
         std::ranges::any_of(result.points, [&](const Point& point) {
           return point.status == Status::ok && point.device == device && point.scope == scope;
         });
}

std::vector<FlatRoof> flats_of(const Roofline& roofline) {
  return mapped(roofline.compute(), [](const ComputeRoof& roof) { return FlatRoof{roof, ""}; });
}

std::vector<FlatRoof> flats_of(const catalogue::Device& device) {
  std::vector<FlatRoof> flats;
  for (const TheoreticalPeak& peak : device.peaks) {
    const auto unit = parse_unit(peak.name);
    if (unit && peak.dtype) flats.push_back({datasheet_roof(peak, *unit), peak.instructions});
  }
  return flats;
}

}  // namespace

std::vector<ShownDevice> shown_devices(const Result& result, const PlotOptions& options) {
  std::vector<ShownDevice> all;
  for (const DeviceInfo& device : result.devices) {
    for (const Scope scope : all_of<Scope>) {
      if ((options.scope && *options.scope != scope) || !drawable(result, device.id, scope)) continue;
      const std::string& name = device.name.empty() ? device.id : device.name;
      Roofline roofline = roofline_of(result, device.id, scope);
      auto flats = flats_of(roofline);
      all.push_back({device.id, name, scope, std::move(roofline), "", all.size(), false, std::move(flats)});
      break;
    }
  }
  for (const catalogue::Device& device : options.datasheets) {
    const std::string name = datasheet_name(device);
    all.push_back({name, name, {}, machine_of(device).roofline, "", all.size(), false, flats_of(device)});
  }
  for (ShownDevice& one : all) {
    one.several = all.size() > 1;
    if (one.several) one.letter = fmt::format("{} ", static_cast<char>('A' + one.index % 26));
  }
  return all;
}

bool is_lost(const Fact& fact) {
  return fact.source == result::merge_source &&
         ((fact.name == "file" && result::names_lost_file("file=" + fact.value)) ||
          (fact.name == "host" && !result::same_host(fact.value, fact.value)));
}

std::vector<std::string> origin_of(const Result& result, const std::string& id,
                                   std::initializer_list<std::string_view> names) {
  const auto device = std::ranges::find(result.devices, id, &DeviceInfo::id);
  std::vector<std::string> parts;
  if (device == result.devices.end()) return {};
  for (const std::string_view name : names) {
    for (const Fact& fact : device->facts) {
      if (fact.name != name || fact.source != result::merge_source || fact.value.empty() || is_lost(fact)) continue;
      std::string part = name == "run_started_at" ? fact.value.substr(0, 10)
                         : name == "run_mode"     ? fact.value + " run"
                                                  : fact.value;
      if (std::ranges::count(parts, part) == 0) parts.push_back(std::move(part));
    }
  }
  return parts;
}

std::string name_of(const Result& result, const ShownDevice& shown, bool in_short) {
  int threads = 0;
  for (const Ceiling& row : result.ceilings) {
    if (row.device == shown.id && row.scope == shown.scope) threads = std::max(threads, row.threads);
  }
  std::string name = shown.letter + shown.name;
  const auto device = std::ranges::find(result.devices, shown.id, &DeviceInfo::id);
  const bool is_cpu = shown.scope && !is_gpu(*device);
  if (is_cpu && !(in_short && shown.scope == Scope::node)) name += fmt::format(", {}", to_string(*shown.scope));
  if (threads > 0 && (is_cpu || !in_short)) name += ", " + threads_text(*device, threads);
  return name;
}

}  // namespace gable::render
