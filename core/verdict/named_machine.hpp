#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/device/catalogue.hpp"
#include "core/result/result.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable {

/// As result::load(). Peaks that a CPU lacks and users' files (catalogue::add()) have of its
/// processor are added, to its rows too. Its points are judged by today's rules (set_verdicts()): files from before a
/// verdict had all its keys, too.
Result load_result(const std::filesystem::path& path);

/// A result file as somebody names it.
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

/// The machine that a text names: a result file (NAME.json, or NAME.json:DEVICE where it has several devices), measured
/// over the whole node, else a device of the vendors' catalogue. Throws Error with one line.
MachineModel machine_named(const std::string& text);

}  // namespace gable
