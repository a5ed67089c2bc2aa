#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "core/analysis/machine_model.hpp"
#include "core/analysis/repeats.hpp"
#include "core/model/dtype.hpp"
#include "core/result/result.hpp"

namespace gable::cli {

/// Adds --devices-file FILE, for commands that name devices of the catalogue.
void offer_devices_files(po::options_description& options);
/// Adds --models-file FILE, for commands that name transformers.
void offer_models_files(po::options_description& options);

/// Adds the entries of the files that GABLE_DEVICES (colons between them) and --devices-file name to the catalogue;
/// to be called before a device is looked up. Throws Error "FILE: POINTER: …" with one line.
void add_devices_files(const po::variables_map& values);
/// As result::load(). Peaks that a CPU lacks and those files have of its processor are added, to its rows too.
Result load_result(const std::filesystem::path& path);
/// What names of files, FILE.json or FILE.json:DEVICE, stand for.
std::vector<analysis::Source> sources_of(const std::vector<std::string>& names);
/// The same for GABLE_MODELS, --models-file and transformers.
void add_models_files(const po::variables_map& values);

/// A result file as it is named on the command line.
struct NamedFile {
  std::string path;
  std::string device;  ///< behind "FILE.json:"; empty without
};
/// Nothing if the text names no file: no such file exists, and it ends neither in .json nor in .json:DEVICE.
std::optional<NamedFile> file_named(const std::string& text);

/// The id of the device that a part of "FILE:DEVICE" names; of the only one, where none is named. Throws Error listing
/// them.
std::string device_named(const Result& result, const std::string& file, const std::string& device);

/// The device of the catalogue that a word names. For words that name no file (file_named()). Throws Error listing the
/// devices that there are, or those that the word fits.
const catalogue::Device& catalogue_device(const std::string& text);

/// The machine that `--on` names: a result file (NAME.json, or NAME.json:DEVICE where it has several devices), measured
/// over the whole node, else a device of the vendors' catalogue. Throws Error with one line.
analysis::MachineModel machine_named(const std::string& text);

/// Adds --on, --peak, --bandwidth and --launch.
void offer_machines(po::options_description& options);

/// What --on names, then the stated roofs: one machine for each pair of --peak and --bandwidth; if one of the two is
/// given once, it goes with all of the other. Empty where nothing is named. A stated launch is that of every machine.
/// `types`: of the work that stated peaks are for.
std::vector<analysis::MachineModel> machines_of(const po::variables_map& values, std::span<const Types> types);

}  // namespace gable::cli
