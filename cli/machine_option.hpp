#pragma once
#include <string>

#include "core/analysis/machine.hpp"

namespace gable::cli {

/// The machine that `--on` names: a result file (NAME.json, or NAME.json:DEVICE where it has several devices), measured
/// over the whole node, else a device of the vendors' catalogue. Throws Error with one line.
analysis::Machine machine_named(const std::string& text);

}  // namespace gable::cli
