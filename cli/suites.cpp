#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/operator.hpp"
#include "core/workload/suite.hpp"

namespace gable::cli {

int suites(const Arguments& arguments) {
  Usage usage{.synopsis = "suites [options]",
              .summary = "Lists the suites: named lists of operators for 'gable measure' and 'gable run'.",
              .example = "gable suites --show ml"};
  usage.options.add_options()("show", one("NAME|FILE"), "the operators of a suite, or of your own file");
  offer_format(usage.options);
  const auto values = parse(std::move(usage), arguments);
  if (!values) return exit_ok;
  const bool one = values->has("show");
  const Answer answer =
      one ? workload::answer_of(workload::find_suite(values->text("show"), operator_specs()), operator_specs())
          : workload::suites_answer(operator_specs());
  fmt::print("{}", written(answer, *values));
  return exit_ok;
}

}  // namespace gable::cli
