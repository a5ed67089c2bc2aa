#pragma once
#include <filesystem>

#include "cli/options.hpp"
#include "core/result/result.hpp"

namespace gable::cli {

/// Adds --devices-file FILE, for commands that name devices of the catalogue.
void offer_devices_files(po::options_description& options);
/// Adds --models-file FILE, for commands that name transformers.
void offer_models_files(po::options_description& options);

/// Adds the entries of the files that GABLE_DEVICES (colons between them) and --devices-file name to the catalogue;
/// to be called before a device is looked up. Throws Error "FILE: POINTER: …" with one line.
void add_devices_files(const po::variables_map& values);
/// As result::load(). What a CPU lacks of theory and those files have of its processor is added, to its rows too.
Result load_result(const std::filesystem::path& path);
/// The same for GABLE_MODELS, --models-file and transformers.
void add_models_files(const po::variables_map& values);

}  // namespace gable::cli
