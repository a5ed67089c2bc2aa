#include "cli/machine_option.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.hpp"
#include "core/result/store.hpp"

namespace gable::cli {
namespace {

analysis::Machine of_file(const std::string& file, std::string device) {
  const Result result = result::load(file);
  if (device.empty()) {
    if (result.devices.size() != 1) {
      std::string known;
      for (const DeviceInfo& one : result.devices) known += fmt::format("{}{}", known.empty() ? "" : ", ", one.id);
      throw Error(fmt::format("{} has several devices; name one as {}:DEVICE: {}", file, file, known));
    }
    device = result.devices.front().id;
  }
  auto machine = analysis::machine_of(result, device, Scope::node);
  machine.basis = fmt::format("measured, {}", file);
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
  if (std::filesystem::is_regular_file(text)) return NamedFile{text, ""};
  return {};
}

analysis::Machine machine_named(const std::string& text) {
  if (const auto file = file_named(text)) return of_file(file->path, file->device);
  return analysis::machine_of(catalogue::find_device(text));
}

}  // namespace gable::cli
