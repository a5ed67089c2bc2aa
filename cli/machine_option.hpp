#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "core/analysis/machine.hpp"
#include "core/model/types.hpp"
#include "core/result/result.hpp"

namespace gable::cli {

/// A result file as it is named on the command line.
struct NamedFile {
  std::string path;
  std::string device;  ///< behind "FILE.json:"; empty without
};
/// Nothing where the text names no file: it neither ends in .json (nor goes on with ":DEVICE" there) nor is there.
std::optional<NamedFile> file_named(const std::string& text);

/// The id of the device that a part of "FILE:DEVICE" names; of the only one, where none is named. Throws Error listing
/// them.
std::string device_named(const Result& result, const std::string& file, const std::string& device);

/// The device of the vendors' catalogue that a word names which names no file (file_named()). Throws Error listing the
/// devices that there are, or those that the word fits.
const catalogue::Device& catalogue_device(const std::string& text);

/// The machine that `--on` names: a result file (NAME.json, or NAME.json:DEVICE where it has several devices), measured
/// over the whole node, else a device of the vendors' catalogue. Throws Error with one line.
analysis::Machine machine_named(const std::string& text);

/// Adds --on, --peak, --bandwidth and --launch.
void offer_machines(po::options_description& options);

/// What --on names, then the stated roofs: a machine for each --peak and --bandwidth, which go in pairs or one of them
/// with all of the other. Empty where nothing is named. A stated launch is that of every machine. `types`: of the work
/// that stated peaks are for.
std::vector<analysis::Machine> machines_of(const po::variables_map& values, std::span<const Types> types);

}  // namespace gable::cli
