#include "core/questions/check/acceptance.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// The reference of a device: that of its id and name, else the only one of its name, else the only one there is.
const Subject& reference_of(const Subject& subject, const std::vector<Subject>& references) {
  const auto only = [&](auto&& fits) {
    const Subject* found = nullptr;
    for (const Subject& one : references) {
      if (!fits(one)) continue;
      if (found) return static_cast<const Subject*>(nullptr);
      found = &one;
    }
    return found;
  };
  const auto same_name = [&](const Subject& one) { return one.device.name == subject.device.name; };
  const auto same = [&](const Subject& one) { return same_name(one) && one.device.id == subject.device.id; };
  if (const auto* found = only(same)) return *found;
  if (const auto* found = only(same_name)) return *found;
  if (references.size() == 1) return references.front();
  const auto known =
      mapped(references, [](const Subject& one) { return fmt::format("{} ({})", one.device.id, one.name); });
  throw Error(fmt::format("--against: which device is the reference of {} ({})? FILE.json:DEVICE names one of {}",
                          subject.device.id, subject.name, fmt::join(known, ", ")));
}

/// What a reader should know before the rows.
std::vector<std::string> remarks_of(const Subject& subject, const Subject& reference) {
  std::vector<std::string> remarks;
  if (subject.runs.empty())
    return {fmt::format("{} ({}) of the reference was not measured", reference.device.id, reference.name)};
  if (subject.device.name != reference.device.name)
    remarks.push_back(fmt::format("{} is checked against another device: {}", subject.name, reference.name));
  const auto modes = [](const Subject& one) {
    std::vector<std::string_view> found;
    for (const auto& run : one.runs) {
      if (std::ranges::count(found, to_string(run.mode)) == 0) found.push_back(to_string(run.mode));
    }
    return fmt::format("{}", fmt::join(found, ", "));
  };
  if (modes(subject) != modes(reference))
    remarks.push_back(
        fmt::format("{} was measured {}, its reference {}", subject.name, modes(subject), modes(reference)));
  const std::array both{subject, reference};
  for (const Circumstance& one : circumstances_of(both).differing) {
    const bool threads = one.kind == CircumstanceKind::threads;
    if (one.kind == CircumstanceKind::other || one.told[0] == one.told[1]) continue;
    remarks.push_back(fmt::format("{} was measured with another {}{} than its reference: {}, not {}", subject.name,
                                  threads ? "number of " : "", one.name, joined_text(one.told[0]),
                                  joined_text(one.told[1])));
  }
  const auto suspect = std::ranges::count(reference.left_out, Status::suspect, &LeftOut::status);
  if (suspect > 0)
    remarks.push_back(fmt::format("{} row{} of the reference of {} {} suspect: {} nothing", suspect,
                                  suspect == 1 ? "" : "s", subject.name, suspect == 1 ? "is" : "are",
                                  suspect == 1 ? "it judges" : "they judge"));
  return remarks;
}

/// Leaves the rows whose name a pattern fits.
void keep_only(std::vector<AcceptanceRow>& rows, std::span<const std::string> patterns) {
  const auto fits = [](const std::string& pattern, const AcceptanceRow& row) {
    return ::fnmatch(pattern.c_str(), row.name.c_str(), 0) == 0;
  };
  for (const std::string& pattern : patterns) {
    if (std::ranges::none_of(rows, [&](const AcceptanceRow& row) { return fits(pattern, row); }))
      throw Error(fmt::format("--only: no row is called '{}'; without --only they are listed", pattern));
  }
  if (patterns.empty()) return;
  std::erase_if(rows, [&](const AcceptanceRow& row) {
    return std::ranges::none_of(patterns, [&](const std::string& pattern) { return fits(pattern, row); });
  });
}

std::vector<std::pair<std::string, std::string>> properties_of(const AcceptanceTest& test,
                                                               std::span<const Subject> subjects) {
  std::vector<std::pair<std::string, std::string>> properties;
  for (const Subject& subject : subjects) {
    properties.emplace_back("device", fmt::format("{}: {}", subject.device.id, subject.name));
    if (!subject.host.empty()) properties.emplace_back("host", subject.host);
    for (const Run& run : subject.runs)
      properties.emplace_back("run", fmt::format("{}, {}, {}", run.source, run.started_at, to_string(run.mode)));
  }
  for (const NamedResult& reference : test.references) properties.emplace_back("reference", reference.name);
  if (!test.references.empty()) properties.emplace_back("tolerance", fmt::format("{:g} %", 100 * test.tolerance));
  if (test.datasheet) properties.emplace_back("datasheet", fmt::format("{:g} %", 100 * *test.datasheet));
  return properties;
}

/// Devices of the references that the checked files lack: per host those of its reference node; of nodes that no host
/// refers to, each once.
std::vector<Subject> absent_of(const std::vector<Subject>& subjects, const std::vector<Subject>& references) {
  std::vector<Subject> absent;
  for (const Subject& reference : references) {
    std::map<std::string, bool> has;  // of a host
    for (const Subject& subject : subjects) {
      const Subject& used = reference_of(subject, references);
      if (used.host == reference.host) has[subject.host] |= &used == &reference;
    }
    if (has.empty()) has[reference.host] = false;
    for (const auto& [host, measured] : has) {
      if (measured) continue;
      Subject& one = absent.emplace_back();
      one.host = host;
      one.device = reference.device;
    }
  }
  return absent;
}

/// ", the first row …: why"; empty without such a row.
std::string first_reason(std::span<const AcceptanceRow> rows) {
  const auto first = std::ranges::find(rows, AcceptanceVerdict::unjudged, &AcceptanceRow::verdict);
  return first == rows.end() ? std::string{} : fmt::format(", {} for one: {}", first->name, first->reason);
}

std::string datasheet_remark(std::span<const AcceptanceRow> rows) {
  const auto judged = std::ranges::count_if(
      rows, [](const AcceptanceRow& row) { return row.criterion == "datasheet" && row.beside.has_value(); });
  const auto all = std::ranges::count(rows, "datasheet", &AcceptanceRow::criterion);
  return fmt::format("{} of {} rows have a datasheet figure and are judged by it{}", judged, all,
                     judged == all ? "" : "; the others say why not");
}

void add_check_formulas(Answer& answer) {
  answer.add_facts(
      "", "formulas (docs/check.md)",
      {{"", "speed", "measured / beside; of times beside / measured"},
       {"", "low", "the fast end of the interval is below 1 - tolerance (reference), P (datasheet), 1 (limit)"},
       {"", "inconclusive", "the figure is beyond such a limit, the end of its interval is not"},
       {"", "suspicious",
        "the slow end is above 1 + tolerance, 1.01 of the datasheet, the other limit, 1.3 x the bound of an operator; "
        "or the row is suspect"},
       {"", "missing", "the reference or the limits file has it, the file has no valid row of it"},
       {"", "not judged",
        "suspect in the reference, too, part of a full reference and not of a quick run, or without a datasheet "
        "figure"}});
}

Answer::Facts facts_of(const AcceptanceRow& row) {
  const auto shown = [&](const std::optional<double>& figure) {
    return figure ? Answer::Value(format_quantity(*figure, row.unit)) : Answer::Value();
  };
  std::string accepted;
  if (row.from) accepted = (row.to ? "" : "from ") + format_quantity(*row.from, row.unit);
  if (row.to) accepted += (row.from ? " to " : "up to ") + format_quantity(*row.to, row.unit);
  return {{"verdict", "verdict", row.verdict},
          {"name", "figure of merit", row.name},
          {"value", row.value},
          {"", "measured", shown(row.value)},
          {"low", row.low},
          {"high", row.high},
          {"against", "against", row.criterion},
          {"accepted", row.beside},
          {"", "beside", shown(row.beside)},
          {"accepted_from", row.from},
          {"accepted_to", row.to},
          {"", "accepted", accepted},
          {"speed", "speed", row.speed},
          {"unit", named(row.unit)},
          {"reason", "why", row.reason}};
}

}  // namespace

bool Checked::passed() const { return std::ranges::none_of(rows, fails, &AcceptanceRow::verdict); }

Checked check(const AcceptanceTest& test) {
  auto subjects = subjects_of(test.files);
  Checked checked;
  const auto each = [&](auto&& rows_of) {
    for (const Subject& subject : subjects) {
      for (AcceptanceRow& row : rows_of(subject)) {
        row.name = host_prefix(subject, subjects) + row.name;
        checked.rows.push_back(std::move(row));
      }
    }
  };
  if (!test.references.empty()) {
    const auto references = subjects_of(test.references);
    const auto is_here = [&](const Subject& one) {
      return std::ranges::any_of(subjects, [&](const Subject& my) { return my.device.name == one.device.name; });
    };
    if (std::ranges::none_of(references, is_here))
      throw Error(fmt::format("{}: it has no device of the checked files, {:.80} for one", test.references.front().name,
                              subjects.front().device.name));
    // who names a device does not ask for the others
    const bool named_device = std::ranges::any_of(test.files, [](const auto& file) { return !file.device.empty(); });
    if (!named_device) std::ranges::move(absent_of(subjects, references), std::back_inserter(subjects));
    each([&](const Subject& subject) {
      const Subject& reference = reference_of(subject, references);
      for (std::string& remark : remarks_of(subject, reference)) checked.remarks.push_back(std::move(remark));
      return against_reference(subject, reference, test.tolerance);
    });
  }
  if (test.datasheet) {
    each([&](const Subject& subject) { return against_datasheet(subject, *test.datasheet); });
    const auto judged = std::ranges::count_if(
        checked.rows, [](const AcceptanceRow& row) { return row.criterion == "datasheet" && row.beside.has_value(); });
    if (judged == 0)
      throw Error("--datasheet: nothing in these files has a datasheet figure" + first_reason(checked.rows));
  }
  std::ranges::move(against_limits(subjects, test.limits), std::back_inserter(checked.rows));
  keep_only(checked.rows, test.only);
  if (test.datasheet) checked.remarks.push_back(datasheet_remark(checked.rows));
  checked.properties = properties_of(test, subjects);
  if (std::ranges::none_of(checked.rows, is_judged, &AcceptanceRow::verdict))
    throw Error("nothing was judged: no valid row has anything to be checked against");
  return checked;
}

Answer answer_of(const Checked& checked, bool formulas) {
  // readers look for rows that fail
  std::vector<AcceptanceRow> failing_first = checked.rows;
  std::ranges::stable_partition(failing_first, fails, &AcceptanceRow::verdict);
  Answer answer;
  answer.add_facts("", "", {{"passed", checked.passed()}, {"remarks", checked.remarks}}).notes = checked.remarks;
  answer.add_table("rows", "", table_of(checked.rows, facts_of)).readers = Answer::Readers::programs;
  answer.show_table("", table_of(failing_first, facts_of)).whole = true;
  const auto count = [&](AcceptanceVerdict verdict) {
    return std::ranges::count(checked.rows, verdict, &AcceptanceRow::verdict);
  };
  answer.say(fmt::format("{} pass, {} low, {} inconclusive, {} suspicious, {} missing, {} new, {} not judged",
                         count(AcceptanceVerdict::pass), count(AcceptanceVerdict::low),
                         count(AcceptanceVerdict::inconclusive), count(AcceptanceVerdict::suspicious),
                         count(AcceptanceVerdict::missing), count(AcceptanceVerdict::extra),
                         count(AcceptanceVerdict::unjudged)));
  if (formulas) add_check_formulas(answer);
  return answer;
}

std::string figures_of_merit(const Checked& checked) {
  std::string lines;
  std::vector<std::string> told;
  for (const AcceptanceRow& row : checked.rows) {
    if (!row.value || std::ranges::count(told, row.name) != 0) continue;
    told.push_back(row.name);
    lines += fmt::format("FOM {} {} {}\n", row.name, *row.value, row.unit);
  }
  return lines;
}

}  // namespace gable::questions
