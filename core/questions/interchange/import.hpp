#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/questions/interchange/format.hpp"
#include "core/result/result.hpp"

namespace gable::interchange {

/// The machine that files are imported for, and what of it was measured.
struct ImportInto {
  Target target;
  std::vector<Ceiling> roofs;  ///< that judge the points; of a result file of the device
  std::vector<Curve> curves;   ///< of the same file
  RunInfo run;                 ///< host of the roofs, command line, time of the import
};

/// What was recognised, for people.
struct ImportedFile {
  std::string file, format;
  std::size_t kernels{}, ceilings{};
};

struct ImportResult {
  Result result;
  std::vector<ImportedFile> files;
};

/// What the kernels of some files did together.
struct CountedTotal {
  KernelWork work;                 ///< sums over all kernels and calls, without `unknown`
  bool anything{};                 ///< whether there is any counter
  std::vector<std::string> notes;  ///< of the files: what was asked for and not counted
};

/// The counters of all kernels of one or several files, as import_files() reads them. Throws Error as that does.
CountedTotal total_of(std::span<const std::filesystem::path> files, const Target& target);

/// A result of the points and ceilings that files of other tools hold. Files of one format in which the same kernels
/// were called as often, with other counters, are taken as one: what profilers need several runs for. Throws Error
/// "FILE: …" with one line for a file that no format recognises, that is damaged, that says nothing, or that has a
/// figure which cannot be (figure_limits.hpp).
ImportResult import_files(std::span<const std::filesystem::path> files, const ImportInto& into);

/// Reads the user's own kernels: a CSV file with the columns name, dtype, flops, bytes, time_s and, optional, unit
/// (which compute ceiling applies: vector without it) and working_set (byte; the level it fits into carries the bytes,
/// main memory without it) in any order. Each becomes a Point of `device` with implementation "user", and `lines` gets
/// its line. Throws Error naming file, line and column of what is wrong, of figures that cannot be, too.
std::vector<Point> read_points_csv(const std::filesystem::path& path, const std::string& device, Scope scope,
                                   std::vector<int>* lines = nullptr);

}  // namespace gable::interchange
