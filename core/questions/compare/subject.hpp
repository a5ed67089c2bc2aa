#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/questions/compare/quantity.hpp"
#include "core/result/result.hpp"
#include "core/status.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::questions {

/// One file's part in a subject.
struct Run {
  std::string source;
  std::string started_at;  ///< UTC, ISO 8601
  Mode mode{};
  Build build;  ///< of the program
  /// Of the programs that measured devices of this kind; several in a merged result.
  std::vector<Build> workers{};
  std::string os{}, kernel{};
  std::vector<Fact> facts{};                              ///< of the host, then of the device in this run
  std::optional<double> base_clock_hz{}, max_clock_hz{};  ///< as the device was described in this run
  std::map<Scope, int> threads{};                         ///< that its rows were measured with, result::threads_of()
};

/// A row that is behind no figure.
struct LeftOut {
  std::string source, id;
  Status status{};
  std::string reason;
  std::string label;  ///< place_of() its key, then the implementation
};

/// Some work that a subject's memory does not hold.
struct Misfit {
  double needed_byte{}, memory_byte{};
  std::optional<std::int64_t> devices_needed{};  ///< that hold it together; nothing: no number does
  std::string why_none{};                        ///< then
};

/// A device and everything known of it: what several result files measured of it, or what its vendor prints.
struct Subject {
  std::string name;  ///< of the device; with host (or "(datasheet)"), then files, where another subject has it too
  std::string given_name{};  ///< what the user calls it: then its name; empty without
  std::string host;          ///< empty for a datasheet
  Basis basis{Basis::measured};
  std::string source{};                   ///< as in MachineModel: of a datasheet, how far it is trusted
  std::optional<double> tdp_w{};          ///< thermal design power of the product, where the catalogue has it
  DeviceInfo device;                      ///< as the first run describes it; of a datasheet name and main memory only
  std::vector<Run> runs;                  ///< none of a datasheet
  std::vector<CeilingQuantity> ceilings;  ///< in the order of the first file that has them
  std::vector<PointQuantity> points;
  std::vector<LeftOut> left_out;   ///< rows of other status than ok, and figures that cannot be
  std::vector<Ceiling> suspects;   ///< of these the suspect ceilings: what a unit reached at least
  std::vector<Curve> curves{};     ///< of the first run
  std::optional<Misfit> misfit{};  ///< of the work that is compared: then it is not ranked
};

/// The dense peaks (of several of one unit and type the highest) and the bandwidth of a catalogue entry, at operating
/// point none.
Subject subject_of(const catalogue::Device& device);

/// Names that tell subjects apart (see Subject::name): to be called again where lists are put together.
void name_apart(std::span<Subject> subjects);
/// What names of machines stand for, told apart likewise.
std::vector<Subject> subjects_of(std::span<const MachineModel> machines);

using gable::machine_of;  // of a datasheet, of a result
/// The subject's roofs at a scope, each the figure of its quantity.
MachineModel machine_of(const Subject& subject, Scope scope);

/// The subject's quantity under a key; null if it has none.
const CeilingQuantity* find(const Subject& subject, const CeilingKey& key);

/// Theory of the result's devices, and the datasheet figures of their rows, by the catalogue of this program
/// (use_todays_peaks()) in place of that of the program that measured. Rows whose figure the catalogue does not give
/// keep theirs.
void use_todays_catalogue(Result& result);

/// The devices of some results, in order. Files of one device are runs of one subject: same host, same hardware
/// (result::same_device) and, at every scope that both have, the same number of threads; so a calibration and a run
/// belong together as well as two repeats. `apart`: every file is a subject of its own. Of several
/// implementations of a quantity the best median stands among those that most runs have; what one run measured more
/// than once is its median. Throws Error for a device that is not in its result, and for a
/// run that is given twice: it is no repeat of itself.
std::vector<Subject> subjects_of(std::span<const NamedResult> sources, bool apart = false);

/// subjects_of() for a mix of results and datasheets; keeps the order in which they were first named.
std::vector<Subject> subjects_in_order(std::vector<std::variant<NamedResult, Subject>> named, bool apart);

/// Those that a figure depends on most, and all others.
enum class CircumstanceKind { other, power_cap, threads };

/// Something beside the device itself under which figures were measured, as the files tell it.
struct Circumstance {
  std::string name;  ///< "power cap", "compiler", "governor"
  /// One list a subject: what its runs tell, each text once. Empty where none tells ("unknown" tells nothing).
  std::vector<std::vector<std::string>> told;
  CircumstanceKind kind{CircumstanceKind::other};
};

/// What differs between subjects that were measured, and between the runs of one of them.
struct Circumstances {
  std::vector<Circumstance> differing;  ///< at least two different things are told
  /// Names that only some of the measured subjects tell, in one way. Of one subject always empty.
  std::vector<Circumstance> told_by_some;
};

/// Measured clock (median over the compute ceilings of the whole node that every subject has with a clock; 1 % apart or
/// more differs) and what held it back, nominal and maximum clock, power cap, threads of CPUs, mode, gable's version,
/// target, compiler, flags and libraries of the worker, operating system and kernel, then every fact of device and
/// host. Facts that are one card's own (UUID, PCI bus) or of its make (registers) are no circumstance; load averages
/// and stolen CPU time differ from the next whole number on. Datasheets were not measured: they tell nothing.
Circumstances circumstances_of(std::span<const Subject> subjects);

/// "GNU 12.2.0", or what several runs tell: "5.10; 6.1". Empty where nothing is told.
std::string joined_text(const std::vector<std::string>& told);

}  // namespace gable::questions
