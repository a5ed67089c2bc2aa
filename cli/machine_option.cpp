#include "cli/machine_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/questions/plan/transformer.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/text/posix_file.hpp"

namespace gable::cli {
namespace {

constexpr const char* devices_option = "devices-file";
constexpr const char* models_option = "models-file";

using Add = void (*)(std::string_view text, const std::string& source);

void offer(po::options_description& options, const char* option, const char* meaning) {
  options.add_options()(option, many("FILE"), meaning);
}

void add_files(const Options& values, const char* variable, const char* option, Add add) {
  if (const char* files = std::getenv(variable)) {
    std::istringstream parts(files);
    for (std::string file; std::getline(parts, file, ':');) {
      if (!file.empty()) add(read_text(file), fmt::format("{} (named by {})", file, variable));
    }
  }
  for (const std::string& file : list(values, option)) add(read_text(file), file);
}

/// As it was given, for the table.
std::string stated_name(const Options& values, std::size_t i) {
  std::string name;
  for (const char* option : {"peak", "bandwidth"}) {
    const auto given = texts(values, option);
    if (given.empty()) continue;
    name += fmt::format("{}{}", name.empty() ? "" : ", ", given.size() == 1 ? given.front() : given[i]);
  }
  return name;
}

}  // namespace

void offer_devices_files(po::options_description& options) {
  offer(options, devices_option,
        "more devices and processors, in the format of docs/catalogue.md; GABLE_DEVICES names such files too");
}

void offer_models_files(po::options_description& options) {
  offer(options, models_option, "more models, in the format of docs/catalogue.md; GABLE_MODELS names such files too");
}

void add_devices_files(const Options& values) { add_files(values, "GABLE_DEVICES", devices_option, catalogue::add); }

void add_models_files(const Options& values) {
  add_files(values, "GABLE_MODELS", models_option, questions::add_transformers);
}

std::vector<NamedResult> sources_of(const std::vector<std::string>& names) {
  std::vector<NamedResult> sources;
  for (const std::string& name : names) {
    const auto [file, device] = file_named(name).value_or(NamedFile{name, ""});
    sources.push_back({file, load_result(file), device});
  }
  return sources;
}

void offer_machines(po::options_description& options) {
  auto add = options.add_options();
  add("on", many("NAME"), "a device of the catalogue or a result file (FILE.json:DEVICE)");
  add("peak", many("P"), "stated peak: 312T, 989TFLOP/s, 989TFLOPS");
  add("bandwidth", many("B"), "stated bandwidth of the main memory: 3.35TB/s");
  add("launch", many("T"), "stated cost of a launch, hidden behind longer work: 5us");
}

std::vector<MachineModel> machines_of(const Options& values, std::span<const Types> types) {
  const auto peaks = quantities(values, "peak", "flop/s", "989TFLOP/s");
  const auto bandwidths = quantities(values, "bandwidth", "byte/s", "3.35TB/s");
  const auto launches = quantities(values, "launch", "s", "5us");
  if (launches.size() > 1) throw Error("--launch is given more than once");
  const auto launch = one_for(launches, 0);
  std::vector<MachineModel> machines;
  for (const std::string& name : texts(values, "on")) {
    machines.push_back(machine_named(name));
    if (launch) machines.back().roofline.set_overhead({*launch, false, "the stated launch"});
  }
  if (peaks.size() > 1 && bandwidths.size() > 1 && peaks.size() != bandwidths.size()) {
    throw Error(
        fmt::format("--peak and --bandwidth go in pairs: {} and {} are given", peaks.size(), bandwidths.size()));
  }
  for (std::size_t i = 0; i < std::max(peaks.size(), bandwidths.size()); ++i) {
    machines.push_back(
        questions::machine_of(questions::StatedRoofs{one_for(peaks, i), one_for(bandwidths, i), launch}, types));
    machines.back().name = stated_name(values, i);
  }
  const auto subjects = questions::subjects_of(machines);
  for (std::size_t i = 0; i < machines.size(); ++i) machines[i].name = subjects[i].name;
  return machines;
}

}  // namespace gable::cli
