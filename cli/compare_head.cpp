#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/compare_parts.hpp"

namespace gable::cli {
namespace {

using namespace analysis;
using namespace report;

std::string subjects_text(const Compared& compared, int width) {
  std::string text;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const Subject& subject = compared.subjects[i];
    std::vector<std::string> files;
    for (const Run& run : subject.runs) files.push_back(fmt::format("{} ({})", run.source, run.mode));
    std::string line = fmt::format("{}: {}, {}", letter(i), subject.name, basis_text(subject.basis, subject.source));
    if (files.size() > 1) line += fmt::format(", {} runs", files.size());
    if (!files.empty()) line += fmt::format(": {}", fmt::join(files, ", "));
    if (!compared.options.prices.empty() && compared.options.prices[i])
      line += fmt::format("; {:g} an hour", *compared.options.prices[i]);
    text += wrap(line, width, 0);
  }
  return text;
}

/// How many runs are behind the rows of each side, and what that is too few for.
std::string repeats_note(const Compared& compared, int width) {
  std::vector<int> runs(compared.subjects.size());
  const auto note = [&](const auto& rows) {
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        if (row.cells[i]) runs[i] = std::max(runs[i], row.cells[i]->figure.runs);
    }
  };
  note(compared.answer.ceilings);
  note(compared.answer.operators);
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (compared.subjects[i].runs.empty() || runs[i] == 0 || runs[i] >= enough_runs) continue;
    text += runs[i] == 1 ? fmt::format("{} was not repeated. ", letter(i))
                         : fmt::format("Only {} runs of {}. ", runs[i], letter(i));
  }
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[0] > 1 && runs[i] > 1 && std::min(runs[0], runs[i]) < enough_runs)
      text += fmt::format("Of one machine, ranges of {} and {} runs are disjoint in {:.2g} % of cases. ", runs[0],
                          runs[i], 100 * chance_of_disjoint_ranges(runs[0], runs[i]));
  }
  if (text.empty()) return "";
  return wrap(text + fmt::format("A difference beyond these runs may be one from run to run: {} runs of each "
                                 "side tell.",
                                 enough_runs),
              width, 0);
}

/// The outermost level by each subject's own name.
std::string memory_text(const Compared& compared) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const auto& memory = compared.subjects[i].device.memory;
    if (!memory.empty()) names.push_back(fmt::format("{} {}", letter(i), memory.back().name));
  }
  return names.empty() ? "" : fmt::format("memory: {}\n", fmt::join(names, ", "));
}

}  // namespace

std::string circumstances_text(const Circumstances& circumstances, int width) {
  std::string text;
  for (const std::string& line : circumstance_lines(circumstances, Names::first)) text += wrap(line, width, 2);
  return text.empty() ? "" : "\nwhat else differs\n" + text;
}

std::string head_text(const Compared& compared, int width) {
  return subjects_text(compared, width) + repeats_note(compared, width) + memory_text(compared);
}

}  // namespace gable::cli
