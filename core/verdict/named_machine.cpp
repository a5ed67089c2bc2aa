#include "core/verdict/named_machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "core/device/datasheet.hpp"
#include "core/device/datasheet_peaks.hpp"
#include "core/error.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/store.hpp"
#include "core/sequence.hpp"
#include "core/verdict/roofs.hpp"

namespace gable {

Result load_result(const std::filesystem::path& path) {
  Result result = result::load(path);
  for (DeviceInfo& device : result.devices) {
    add_users_peaks(device);
    for (Ceiling& row : result.ceilings) {
      if (row.device != device.id) continue;
      const bool main_row = row.kind == CeilingKind::compute ? row.variant.empty() : row.kind == CeilingKind::bandwidth;
      const bool lacking = row.status == Status::ok && main_row && !row.datasheet;
      const bool by_its_clock = row.datasheet && row.kind == CeilingKind::compute && is_cpu(device);  // of older files
      if (lacking || by_its_clock) add_datasheet(device, row);
    }
  }
  result::drop_impossible(result);
  set_verdicts(result);
  return result;
}

namespace {

MachineModel of_file(const std::string& file, const std::string& device) {
  const Result result = result::load(file);
  auto machine = machine_of(result, device_named(result, file, device), Scope::node);
  machine.source = file;
  return machine;
}

}  // namespace

std::optional<NamedFile> file_named(const std::string& text) {
  constexpr std::string_view ending = ".json";
  const auto end = text.find(ending);
  if (end != std::string::npos) {
    const auto behind = end + ending.size();
    if (behind == text.size()) return NamedFile{text, ""};
    if (text[behind] == ':') return NamedFile{text.substr(0, behind), text.substr(behind + 1)};
  }
  std::error_code unreadable;  // a name that is too long is no file
  if (std::filesystem::is_regular_file(text, unreadable)) return NamedFile{text, ""};
  return {};
}

std::string device_named(const Result& result, const std::string& file, const std::string& device) {
  const auto has = [&] { return std::ranges::count(result.devices, device, &DeviceInfo::id) != 0; };
  if (!device.empty() && has()) return device;
  if (device.empty() && result.devices.size() == 1) return result.devices.front().id;
  const auto known = mapped(result.devices, &DeviceInfo::id);
  if (!device.empty())
    throw Error(fmt::format("{} has no device '{}'; it has: {}", file, device, fmt::join(known, ", ")));
  throw Error(fmt::format("{} has several devices; name one as {}:DEVICE: {}", file, file, fmt::join(known, ", ")));
}

const catalogue::Device& catalogue_device(const std::string& text) {
  try {
    return catalogue::find_device(text);
  } catch (const Error& error) {
    throw Error(fmt::format("no file '{}', and {}", text, error.what()));
  }
}

MachineModel machine_named(const std::string& text) {
  if (const auto file = file_named(text)) return of_file(file->path, file->device);
  return machine_of(catalogue_device(text));
}

}  // namespace gable
