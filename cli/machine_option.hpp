#pragma once
#include <span>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "core/model/dtype.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/verdict/machine_model.hpp"
#include "core/verdict/named_machine.hpp"

namespace gable::cli {

/// Adds --devices-file FILE, for commands that name devices of the catalogue.
void offer_devices_files(po::options_description& options);
/// Adds --models-file FILE, for commands that name transformers.
void offer_models_files(po::options_description& options);

/// Adds the entries of the files that GABLE_DEVICES (colons between them) and --devices-file name to the catalogue;
/// to be called before a device is looked up. Throws Error "FILE: POINTER: …" with one line.
void add_devices_files(const Options& values);
/// The same for GABLE_MODELS, --models-file and transformers.
void add_models_files(const Options& values);
/// What names of files, FILE.json or FILE.json:DEVICE, stand for.
std::vector<NamedResult> sources_of(const std::vector<std::string>& names);

/// Adds --on, --peak, --bandwidth and --launch.
void offer_machines(po::options_description& options);

/// What --on names, then the stated roofs: one machine for each pair of --peak and --bandwidth; if one of the two is
/// given once, it goes with all of the other. Empty where nothing is named. A stated launch is that of every machine.
/// `types`: of the work that stated peaks are for.
std::vector<MachineModel> machines_of(const Options& values, std::span<const Types> types);

}  // namespace gable::cli
