#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/result/validate.hpp"

namespace gable::cli {

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
    const auto findings = result::validate_file(file);
    for (const result::Finding& finding : findings) {
      fmt::print("{}: {}: {}: {}\n", file, finding.fatal ? "invalid" : "implausible", finding.where, finding.what);
    }
    if (findings.empty())
      fmt::print("{}: valid\n", file);
    else
      code = exit_failed_rows;
  }
  return code;
}

}  // namespace gable::cli
