#include "core/questions/check/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/result/store.hpp"
#include "core/verdict/validate.hpp"

namespace gable::questions {
namespace {

/// Ratio of two ends of intervals up to which runs of a machine may differ: its state is never quite the same.
constexpr double tolerated = 1.1;

/// A row of one run.
struct ToldFigure {
  std::string source, where;
  const Estimate* figure{};
  std::string unit;
  bool higher_is_better{};
};

std::string words(const ToldFigure& row) {
  return fmt::format("{} ({} to {})", format_quantity(row.figure->value, row.unit),
                     format_quantity(*row.figure->ci_low, row.unit), format_quantity(*row.figure->ci_high, row.unit));
}

/// Whether `row` is slower than `other` beyond both intervals.
bool slower(const ToldFigure& row, const ToldFigure& other) {
  if (row.higher_is_better) return tolerated * *row.figure->ci_high < *other.figure->ci_low;
  return *row.figure->ci_low > tolerated * *other.figure->ci_high;
}

/// Says of each row that some other contradicts what the one furthest away from it says.
void compare(const std::vector<ToldFigure>& rows, std::vector<ValidationLine>& found) {
  for (const ToldFigure& row : rows) {
    const ToldFigure* furthest = nullptr;
    for (const ToldFigure& other : rows) {
      if (slower(row, other) && (!furthest || slower(*furthest, other))) furthest = &other;
    }
    if (!furthest) continue;
    found.push_back({row.source, FileVerdict::implausible, row.where,
                     fmt::format("{}, but {} in {}: this run was disturbed, or the machine was in another state",
                                 words(row), words(*furthest), furthest->source)});
  }
}

/// What must be alike for two rows to say the same thing: kind, id, scope, threads, size of the arrays, and of what is
/// not the machine's alone (operators, Kokkos, libraries) how and by which build it was measured.
using Key = std::tuple<std::string, std::string, Scope, int, double, std::string>;

/// Mode of a run, and what made its workers.
std::string origin_of(const Result& result) {
  std::string text(to_string(result.run.mode));
  for (const auto& [worker, build] : result.workers)
    text +=
        fmt::format(" {} {} {} {} {}", worker, build.commit, build.target.value_or(""), build.compiler, build.flags);
  return text;
}

void add(std::map<Key, std::vector<ToldFigure>>& told, const Result& result, const NamedResult& source,
         const std::string& device) {
  const std::string origin = origin_of(result);
  const auto has_interval = [](const Estimate& figure) { return figure.ci_low && figure.ci_high; };
  for (const Ceiling& row : result.ceilings) {
    if (row.device != device || row.status != Status::ok || !has_interval(row.value)) continue;
    const bool of_machine = row.at != OperatingPoint::library && row.implementation != "kokkos";
    told[{"ceiling", row.id, row.scope, row.threads, row.working_set_bytes.value_or(0), of_machine ? "" : origin}]
        .push_back(
            {source.name, fmt::format("ceiling {} {}", row.device, row.id), &row.value, row.unit, row.unit != "s"});
  }
  for (const Point& row : result.points) {
    if (row.device != device || row.status != Status::ok || !has_interval(row.time)) continue;
    told[{"point", row.id, row.scope, row.threads, 0, origin}].push_back(
        {source.name, fmt::format("point {} {}", row.device, row.id), &row.time, "s", false});
  }
}

/// Without copies: the same moment on the same machine is the same run, whatever its file is called.
std::vector<NamedResult> runs_of(std::span<const NamedResult> sources) {
  std::vector<NamedResult> runs;
  for (const NamedResult& source : sources) {
    const auto copy = std::ranges::find_if(runs, [&](const NamedResult& run) {
      return run.result.run.started_at == source.result.run.started_at &&
             run.result.run.hostname == source.result.run.hostname;
    });
    if (copy == runs.end()) runs.push_back(source);
  }
  return runs;
}

void check(const std::string& file, Operators operators, std::vector<ValidationLine>& lines) {
  const auto findings = verdict::validate_file(file, operators);
  for (const verdict::Finding& finding : findings)
    lines.push_back(
        {file, finding.fatal ? FileVerdict::invalid : FileVerdict::implausible, finding.where, finding.what});
  if (findings.empty()) lines.push_back({file, FileVerdict::valid, "", ""});
}

/// Files that cannot be read were reported before.
void check_repeats(std::span<const std::string> files, std::vector<ValidationLine>& lines) {
  std::vector<NamedResult> sources;
  for (const std::string& file : files) {
    if (std::ranges::count(sources, file, &NamedResult::name) > 0) continue;
    try {
      sources.push_back({file, result::load(file)});
    } catch (const Error&) {
      continue;
    }
  }
  std::ranges::move(disagreements(sources), std::back_inserter(lines));
}

}  // namespace

std::vector<ValidationLine> disagreements(std::span<const NamedResult> sources) {
  const auto runs = runs_of(sources);
  std::vector<ValidationLine> found;
  for (const Subject& subject : subjects_of(runs)) {
    if (subject.runs.size() < 2) continue;
    std::map<Key, std::vector<ToldFigure>> told;
    for (const Run& run : subject.runs) {
      const auto source = std::ranges::find(runs, run.source, &NamedResult::name);
      add(told, source->result, *source, subject.device.id);
    }
    for (const auto& [key, rows] : told) compare(rows, found);
  }
  return found;
}

bool Validation::valid() const {
  return std::ranges::all_of(lines, [](const auto& line) { return line.verdict == FileVerdict::valid; });
}

Validation validate(std::span<const std::string> files, Operators operators) {
  Validation found;
  for (const std::string& file : files) {
    try {
      check(file, operators, found.lines);
    } catch (const Error& error) {  // the other files are checked all the same
      found.problems.push_back(fmt::format("gable: {}", error.what()));
      found.unreadable = true;
    }
  }
  try {
    check_repeats(files, found.lines);
  } catch (const Error& error) {
    found.problems.push_back(fmt::format("note: repeats are not compared: {}", error.what()));
  }
  return found;
}

Answer answer_of(const Validation& validation) {
  const auto facts = [](const ValidationLine& line) -> Answer::Facts {
    return {{"file", "file", line.file},
            {"verdict", "verdict", line.verdict},
            {"where", "where", line.where},
            {"what", "what", line.what}};
  };
  Answer answer;
  answer.add_table("findings", "", table_of(validation.lines, facts)).whole = true;
  answer.add_facts("", "", {{"valid", validation.valid() && !validation.unreadable}});
  return answer;
}

}  // namespace gable::questions
