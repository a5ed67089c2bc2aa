#include "core/analysis/validation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/disagreement.hpp"
#include "core/error.hpp"
#include "core/result/store.hpp"
#include "core/result/validate.hpp"

namespace gable::analysis {
namespace {

void check(const std::string& file, Operators operators, std::vector<ValidationLine>& lines) {
  const auto findings = result::validate_file(file, operators);
  for (const result::Finding& finding : findings)
    lines.push_back({file, finding.fatal ? "invalid" : "implausible", finding.where, finding.what});
  if (findings.empty()) lines.push_back({file, "valid", "", ""});
}

/// Files that cannot be read were reported before.
void check_repeats(std::span<const std::string> files, std::vector<ValidationLine>& lines) {
  std::vector<Source> sources;
  for (const std::string& file : files) {
    if (std::ranges::count(sources, file, &Source::name) > 0) continue;
    try {
      sources.push_back({file, result::load(file)});
    } catch (const Error&) {
      continue;
    }
  }
  for (const Disagreement& one : disagreements(sources))
    lines.push_back({one.source, "implausible", one.where, one.what});
}

}  // namespace

bool Validation::valid() const {
  return std::ranges::all_of(lines, [](const auto& line) { return line.verdict == "valid"; });
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
  answer.add_table("files", "", table_of(validation.lines, facts)).whole = true;
  return answer;
}

}  // namespace gable::analysis
