#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/analysis/machine.hpp"
#include "core/analysis/quantity.hpp"
#include "core/device/catalogue.hpp"
#include "core/result/result.hpp"
#include "core/status.hpp"

namespace gable::analysis {

/// A result, and what it is called in messages: its file.
struct Source {
  std::string name;
  Result result;
  std::string device{};  ///< only this one of its devices; empty: all
};

/// One file's part in a subject.
struct Run {
  std::string source;
  std::string started_at;  ///< UTC, ISO 8601
  std::string mode;        ///< quick, full
  Build build;             ///< of the program
};

/// A row that is behind no figure.
struct LeftOut {
  std::string source, id;
  Status status{};
  std::string reason;
};

/// A device and everything known of it: what several result files measured of it, or what its vendor prints.
struct Subject {
  std::string name;   ///< of the device; with host, then with files, where another subject has the same
  std::string host;   ///< empty for a datasheet
  std::string basis;  ///< "measured", "datasheet, derived"
  DeviceInfo device;  ///< as the first run describes it; of a datasheet name and main memory only
  std::vector<Run> runs;
  std::vector<CeilingQuantity> ceilings;  ///< in the order of the first file that has them
  std::vector<PointQuantity> points;
  std::vector<LeftOut> left_out;  ///< rows of other status than ok, and figures that are not positive
};

/// The devices of some results, in order. Files of one device are runs of one subject: same host, same hardware
/// (result::same_device) and, at every scope that both have, the same number of threads; so a calibration and a run
/// belong together as well as two repeats. `apart`: every file is a subject of its own. A quantity that several
/// implementations measured is that of the best median. Throws Error for a device that is not in its result, and for a
/// run that is given twice: it is no repeat of itself.
std::vector<Subject> subjects_of(std::span<const Source> sources, bool apart = false);

/// The dense peaks (of several of one unit and type the highest) and the bandwidth of a catalogue entry, at operating
/// point none.
Subject subject_of(const catalogue::Device& device);

/// Names that tell subjects apart (see Subject::name): to be called again where lists are put together.
void name_apart(std::span<Subject> subjects);

/// The subject's roofs at a scope, each the figure of its quantity.
Machine machine_of(const Subject& subject, Scope scope);

/// The subject's quantity under a key; null if it has none.
const CeilingQuantity* find(const Subject& subject, const CeilingKey& key);
const PointQuantity* find(const Subject& subject, const PointKey& key);

}  // namespace gable::analysis
