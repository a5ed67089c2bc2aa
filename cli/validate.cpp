#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/analysis/disagreement.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/result/store.hpp"
#include "core/result/validate.hpp"

namespace gable::cli {
namespace {

/// Prints what is wrong with a file. Throws Error if it cannot be read.
int check(const std::string& file) {
  const auto findings = result::validate_file(file, operator_specs());
  for (const result::Finding& finding : findings) {
    fmt::print("{}: {}: {}: {}\n", file, finding.fatal ? "invalid" : "implausible", finding.where, finding.what);
  }
  if (findings.empty()) fmt::print("{}: valid\n", file);
  return findings.empty() ? exit_ok : exit_failed_rows;
}

/// Prints what repeats of one machine contradict each other in. False where they do. Files that cannot be read were
/// reported before.
bool repeats_agree(const std::vector<std::string>& files) {
  std::vector<analysis::Source> sources;
  for (const std::string& file : files) {
    if (std::ranges::count(sources, file, &analysis::Source::name) > 0) continue;
    try {
      sources.push_back({file, result::load(file)});
    } catch (const Error&) {
      continue;
    }
  }
  const auto found = analysis::disagreements(sources);
  for (const analysis::Disagreement& one : found)
    fmt::print("{}: implausible: {}: {}\n", one.source, one.where, one.what);
  return found.empty();
}

}  // namespace

int validate(const Arguments& arguments) {
  Usage usage{.synopsis = "validate FILE…",
              .summary = "Checks result files: schema, whether figures can be true, whether runs of one machine agree.",
              .example = "gable validate gable-result.json",
              .options = po::options_description("options")};
  usage.options.add_options()("file", po::value<std::vector<std::string>>()->value_name("FILE"), "result files");
  usage.positional.add("file", -1);
  const auto values = parse(usage, arguments);
  if (!values) return exit_ok;
  if (values->count("file") == 0) throw Error("validate needs a result file");
  const auto files = (*values)["file"].as<std::vector<std::string>>();
  int code = exit_ok;
  for (const std::string& file : files) {
    try {
      code = std::max(code, check(file));
    } catch (const Error& error) {  // the other files are checked all the same
      say(fmt::format("gable: {}\n", error.what()));
      code = exit_bad_input;
    }
  }
  try {
    if (!repeats_agree(files)) code = std::max(code, exit_failed_rows);
  } catch (const Error& error) {
    say(fmt::format("note: repeats are not compared: {}\n", error.what()));
  }
  return code;
}

}  // namespace gable::cli
