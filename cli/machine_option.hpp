#pragma once
#include <optional>
#include <string>

#include "core/analysis/machine.hpp"

namespace gable::cli {

/// A result file as it is named on the command line.
struct NamedFile {
  std::string path;
  std::string device;  ///< behind "FILE.json:"; empty without
};
/// Nothing where the text names no file: it neither ends in .json (nor goes on with ":DEVICE" there) nor is there.
std::optional<NamedFile> file_named(const std::string& text);

/// The machine that `--on` names: a result file (NAME.json, or NAME.json:DEVICE where it has several devices), measured
/// over the whole node, else a device of the vendors' catalogue. Throws Error with one line.
analysis::Machine machine_named(const std::string& text);

}  // namespace gable::cli
