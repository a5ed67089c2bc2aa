#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/questions/check/validation.hpp"
#include "core/text/safe_text.hpp"

namespace gable::cli {

int validate(const Arguments& arguments) {
  Usage usage{.synopsis = "validate FILE… [options]",
              .summary = "Checks result files: schema, whether figures can be true, whether runs of one machine agree.",
              .example = "gable validate gable-result.json"};
  usage.options.add_options()("file", many("FILE"), "result files");
  offer_format(usage.options);
  usage.positional.add("file", -1);
  const auto values = parse(std::move(usage), arguments);
  if (!values) return exit_ok;
  if (!values->has("file")) throw Error("validate needs a result file");
  const auto files = texts(*values, "file");
  const auto found = questions::validate(files, operator_specs());
  for (const std::string& problem : found.problems) say(printable(problem) + '\n');
  fmt::print("{}", written(questions::answer_of(found), *values));
  if (found.unreadable) return exit_bad_input;
  return found.valid() ? exit_ok : exit_failed_rows;
}

}  // namespace gable::cli
