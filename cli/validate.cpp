#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
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

}  // namespace

int validate(const Arguments& arguments) {
  Usage usage{.synopsis = "validate FILE…",
              .summary = "Checks result files against the schema, and whether their figures can be true.",
              .example = "gable validate gable-result.json",
              .options = po::options_description("options")};
  usage.options.add_options()("file", po::value<std::vector<std::string>>()->value_name("FILE"), "result files");
  usage.positional.add("file", -1);
  const auto values = parse(usage, arguments);
  if (!values) return exit_ok;
  if (values->count("file") == 0) throw Error("validate needs a result file");
  int code = exit_ok;
  for (const std::string& file : (*values)["file"].as<std::vector<std::string>>()) {
    try {
      code = std::max(code, check(file));
    } catch (const Error& error) {  // the other files are checked all the same
      say(fmt::format("gable: {}\n", error.what()));
      code = exit_bad_input;
    }
  }
  return code;
}

}  // namespace gable::cli
