#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/operator.hpp"
#include "core/workload/suite.hpp"

namespace gable::cli {
namespace {

void show(const workload::Suite& suite) {
  fmt::print("{}: {}\n", suite.name, suite.summary);
  for (const Case& one : suite.cases) {
    std::vector<std::string> sizes;
    for (const Params& params : one.params) sizes.push_back(params.to_string());
    std::vector<std::string_view> types;
    for (const DType dtype : one.dtypes) types.push_back(to_string(dtype));
    fmt::print("  {:<24} {}\n", one.op, find_spec(one.op).summary);
    if (!sizes.empty()) fmt::print("  {:<24} sizes {}\n", "", fmt::join(sizes, " "));
    if (!types.empty()) fmt::print("  {:<24} types {}\n", "", fmt::join(types, ", "));
  }
}

}  // namespace

int suites(const Arguments& arguments) {
  Usage usage{.synopsis = "suites [options]",
              .summary = "Lists the suites: named lists of operators for 'gable measure' and 'gable run'.",
              .example = "gable suites --show ml",
              .options = po::options_description("options")};
  usage.options.add_options()("show", po::value<std::string>()->value_name("NAME|FILE"),
                              "the operators of a suite, or of your own file");
  const auto values = parse(usage, arguments);
  if (!values) return exit_ok;
  if (values->count("show") != 0) {
    show(workload::find_suite((*values)["show"].as<std::string>(), operator_specs()));
    return exit_ok;
  }
  for (const std::string_view name : workload::suite_names()) {
    const auto suite = workload::find_suite(std::string(name), operator_specs());
    fmt::print("{:<12} {:>3} operators  {}\n", name, suite.cases.size(), suite.summary);
  }
  return exit_ok;
}

}  // namespace gable::cli
