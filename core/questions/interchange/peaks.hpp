#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/model/answer.hpp"
#include "core/result/result.hpp"

/// The measured peaks of a device, in the forms of other programs.
namespace gable::interchange {

/// Ceilings of one device at the widest scope that can be handed on: compute rates and bandwidths that are ok and the
/// main row of their quantity. Those that gable measured; of a device that has none, those of the other tool.
struct Peaks {
  DeviceInfo device;
  std::string build;     ///< version of the gable that measured
  std::string finished;  ///< when the run ended, UTC: of other tools' figures the import, which measured nothing
  std::string tool;      ///< whose they are: "gable", "ert" …
  std::vector<Ceiling> rows;
  std::vector<std::string> left_out;  ///< one line each: suspect rows and why

  /// "measured 2026-01-01T00:00:00Z", and "imported …" of another tool's figures, whose own time is not known.
  std::string dated() const;
  /// The row of the first of these operating points that has one; of several implementations the highest. Rows that
  /// accumulate in fp16 or bf16 are taken only where no other is, as few programs may. Null without one.
  const Ceiling* compute(Unit unit, DType dtype, const std::vector<OperatingPoint>& order) const;
  /// The bandwidth of a level: of the first of triad, copy, update, read, none that was measured with ordinary stores,
  /// the highest. Null without one.
  const Ceiling* bandwidth(const std::string& level) const;
  /// Names of the levels with a bandwidth, innermost first where the device lists them.
  std::vector<std::string> levels() const;
  /// The outermost of them that is the device's main memory; empty without one.
  std::string main_memory() const;
};

/// Throws Error for a device that is not there, or that has no such ceiling.
Peaks peaks_of(const Result& result, const std::string& device);

/// Whether its sums are wider than fp16 and bf16, as of rows that do not tell.
bool accumulates_wide(const Ceiling& row);

/// "vector fp64 burst", "DRAM triad sustained (non_temporal)": unit or level, types, mix and operating point.
std::string label_of_peak(const Ceiling& row);

/// As a table: the forms csv and markdown.
Answer answer_of(const Peaks& peaks);

/// A form that peaks are written in: its name on the command line, and the text.
struct ExportForm {
  std::string_view name;
  std::string (*text)(const Peaks& peaks);
};
/// Null for a name that none has.
const ExportForm* find_export_form(std::string_view name);
/// All names, for messages: "reframe, prometheus, …".
std::string export_form_names();

/// A form of its own: its text.
std::string reframe_text(const Peaks& peaks);
std::string prometheus_text(const Peaks& peaks);
std::string tracelens_text(const Peaks& peaks);
std::string llm_viewer_text(const Peaks& peaks);
std::string ert_text(const Peaks& peaks);

}  // namespace gable::interchange
