#include "cli/catalogue_option.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "core/analysis/transformer.hpp"
#include "core/device/catalogue.hpp"
#include "core/device/datasheet.hpp"
#include "core/device/processor_theory.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"

namespace gable::cli {
namespace {

constexpr const char* devices_option = "devices-file";
constexpr const char* models_option = "models-file";

using Add = void (*)(std::string_view text, const std::string& source);

void offer(po::options_description& options, const char* option, const char* meaning) {
  options.add_options()(option, po::value<std::vector<std::string>>()->composing()->value_name("FILE"), meaning);
}

void add_files(const po::variables_map& values, const char* variable, const char* option, Add add) {
  if (const char* files = std::getenv(variable)) {
    std::istringstream parts(files);
    for (std::string file; std::getline(parts, file, ':');) {
      if (!file.empty()) add(read_text(file), fmt::format("{} (named by {})", file, variable));
    }
  }
  for (const std::string& file : list(values, option)) add(read_text(file), file);
}

}  // namespace

void offer_devices_files(po::options_description& options) {
  offer(options, devices_option,
        "more devices and processors, in the format of docs/catalogue.md; GABLE_DEVICES names such files too");
}

void offer_models_files(po::options_description& options) {
  offer(options, models_option, "more models, in the format of docs/catalogue.md; GABLE_MODELS names such files too");
}

void add_devices_files(const po::variables_map& values) {
  add_files(values, "GABLE_DEVICES", devices_option, catalogue::add);
}

Result load_result(const std::filesystem::path& path) {
  Result result = result::load(path);
  for (DeviceInfo& device : result.devices) {
    add_users_theory(device);
    for (Ceiling& row : result.ceilings) {
      const bool main_row = row.kind == CeilingKind::compute ? row.variant.empty() : row.kind == CeilingKind::bandwidth;
      if (row.device == device.id && row.status == Status::ok && main_row && !row.datasheet) add_datasheet(device, row);
    }
  }
  result::drop_impossible(result);
  return result;
}

void add_models_files(const po::variables_map& values) {
  add_files(values, "GABLE_MODELS", models_option, analysis::add_transformers);
}

}  // namespace gable::cli
