#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/enum_names.hpp"
#include "core/model/answer.hpp"
#include "core/questions/compare/subject.hpp"

namespace gable::questions {

/// Slower than the reference by more than this is low: STREAM's practice on Azure's HPC nodes, where more than 10 %
/// below the expected figure is looked into.
inline constexpr double default_tolerance = 0.10;

enum class AcceptanceVerdict {
  pass,
  low,           ///< slower than accepted, its whole interval
  inconclusive,  ///< its figure is beyond what is accepted, its interval is not
  suspicious,    ///< faster than accepted, above its datasheet figure, or of a suspect row
  missing,       ///< the reference has it, the machine under test does not
  extra,         ///< only the machine under test has it: listed, not judged
  unjudged,      ///< nothing can judge it: suspect in the reference, too, not part of a quick run, no datasheet figure
};
constexpr auto names_of(AcceptanceVerdict) {
  return names_up_to<AcceptanceVerdict::unjudged>("pass", "low", "inconclusive", "suspicious", "missing", "new",
                                                  "not judged");
}
using gable::to_string;
/// Whether it says anything of the row, and whether that makes an acceptance test fail.
bool is_judged(AcceptanceVerdict verdict);
bool fails(AcceptanceVerdict verdict);

/// One quantity of the machine under test against one criterion.
struct AcceptanceRow {
  std::string name{};       ///< fom_name()
  std::string criterion{};  ///< "reference", "datasheet", "limit"
  AcceptanceVerdict verdict{};
  std::optional<double> value{}, low{}, high{};  ///< measured, with its interval, in `unit`
  std::optional<double> beside{};      ///< figure of the reference or datasheet, or the limit that was crossed
  std::optional<double> from{}, to{};  ///< what is accepted
  std::optional<double> speed{};       ///< measured / beside; of times beside / measured, so that more is better
  std::string unit{};
  std::string reason{};  ///< of what does not pass; a remark otherwise
};

/// What a limits file says of one quantity.
struct AcceptedRange {
  std::string name{};
  std::optional<double> lower{}, upper{};  ///< in `unit`
  std::string unit{};
  std::string where{};  ///< it stands: file, and line or JSON pointer
};

/// Name of a figure of merit without blanks, the same for every run and machine:
/// "openmp/compute/node/vector/fp32/burst", "cuda:0/operator/node/gemm/fp16/m=16,n=4096,k=4096/cold". The part in front
/// is the device's id.
std::string fom_name(const Subject& subject, const CeilingKey& key);
std::string fom_name(const Subject& subject, const PointKey& key);

/// What stands in front of a subject's names among others: "HOST/" where another one has a device of the same id.
std::string host_prefix(const Subject& subject, std::span<const Subject> subjects);

/// Every quantity of the reference: slower by more than `tolerance` is low, faster by more is suspicious, each only if
/// the whole interval is, else inconclusive; then what only the subject has, and its suspect rows. What a full
/// reference has beyond a quick subject's plan, and what is suspect in both, is not judged.
std::vector<AcceptanceRow> against_reference(const Subject& subject, const Subject& reference, double tolerance);
/// The best row of each unit, type and level (of main memory the triad) against its datasheet
/// figure, and every operator against its bound by the datasheet: at least `fraction` of it; more than 1.01 of a
/// figure, or 1.3 of a bound, is suspicious. What has none is not judged, with the reason. Where compute rows are there
/// and none has a figure, or rows of main memory, a missing row says so: the machine is not accepted by the other half.
std::vector<AcceptanceRow> against_datasheet(const Subject& subject, double fraction);
/// Each range, in order, of the quantity of that name (host_prefix() and fom_name()) among all subjects. Of two limits
/// the one that is crossed, else the nearer one. Throws Error where a range is in another unit than its quantity.
std::vector<AcceptanceRow> against_limits(std::span<const Subject> subjects, std::span<const AcceptedRange> ranges);

/// What is checked, and against what.
struct AcceptanceTest {
  std::vector<NamedResult> files{};
  std::vector<NamedResult> references{};  ///< empty: against none
  double tolerance{default_tolerance};    ///< of the reference
  std::optional<double> datasheet{};      ///< least part of the vendor's figures
  std::vector<AcceptedRange> limits{};
  std::vector<std::string> only{};  ///< patterns of names, as shells match files; empty: every row
};

struct Checked {
  std::vector<AcceptanceRow> rows{};
  std::vector<std::string> remarks{};  ///< what a reader should know before the rows
  /// What was checked and how: device, host, date and mode of each subject, tolerance, datasheet.
  std::vector<std::pair<std::string, std::string>> properties{};

  bool passed() const;
};

/// Throws Error where nothing is judged, where a pattern fits no row, and where it is not clear which device of the
/// references is whose.
Checked check(const AcceptanceTest& test);

Answer answer_of(const Checked& checked, bool formulas);
/// Lines that harnesses match: "FOM", name, value with all its digits, unit; each name once.
std::string figures_of_merit(const Checked& checked);

/// JUnit XML of an acceptance test: a suite for each criterion, a test case for each judged row, a failure with the
/// reason for each that does not pass. What is not judged is a skipped case. Characters that XML has no place for
/// become '?'. Suites have devices, hosts, runs and tolerance as properties, cases the measured and the accepted
/// figure. Remarks are what the first suite printed (system-out).
/// `command` is the name of it all.
std::string junit(const Checked& checked, const std::string& command = "gable check");

/// Accepted ranges of an acceptance test. CSV with the columns name, unit, lower and upper in any order, or, with the
/// ending .json, {"limits": [{"name": …, "unit": …, "lower": …, "upper": …}]}; one of lower and upper may be missing.
/// Figures are plain numbers in the unit: flop/s, op/s, byte/s or s. Throws Error naming the file and the line and
/// column, or the JSON pointer, of what is wrong.
std::vector<AcceptedRange> read_limits(const std::filesystem::path& path);

}  // namespace gable::questions
