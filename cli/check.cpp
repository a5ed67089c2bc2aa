#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/questions/check/acceptance.hpp"
#include "core/result/store.hpp"
#include "core/text/safe_text.hpp"
#include "core/text/text_table.hpp"

namespace gable::cli {
namespace {

using questions::Checked;

questions::AcceptanceTest test_of(const po::variables_map& values) {
  questions::AcceptanceTest test{.files = sources_of(texts(values, "file")),
                                 .references = sources_of(texts(values, "against")),
                                 .tolerance = fraction(values, "tolerance", 0),
                                 .only = texts(values, "only")};
  if (values.count("datasheet") != 0) test.datasheet = fraction(values, "datasheet", 1);
  if (values.count("limits") != 0) test.limits = questions::read_limits(values["limits"].as<std::string>());
  return test;
}

void check_options(const po::variables_map& values) {
  if (values.count("file") == 0) throw Error("check needs a result file");
  if (values.count("against") + values.count("datasheet") + values.count("limits") == 0)
    throw Error("check needs --against REF, --datasheet PERCENT or --limits FILE");
  if (values.count("against") == 0 && !values["tolerance"].defaulted()) throw Error("--tolerance goes with --against");
  fraction(values, "tolerance", 0);
  if (values.count("datasheet") != 0) fraction(values, "datasheet", 1);
  if (values["fom"].as<bool>() && values.count("format") != 0)
    throw Error(fmt::format("--format {} and --fom exclude each other", values["format"].as<std::string>()));
  if (values["fom"].as<bool>() && values["explain"].as<bool>())
    throw Error("--explain and --fom exclude each other: lines for a harness have no formulas");
  if (values.count("junit") == 0) {
    if (values["force"].as<bool>()) throw Error("--force goes with --junit");
    return;
  }
  const std::filesystem::path output = values["junit"].as<std::string>();
  std::error_code error;
  if (!values["force"].as<bool>() && std::filesystem::exists(output, error))
    throw Error(fmt::format("'{}' exists; name another --junit or add --force", output.string()));
  result::check_writable(output);
}

Usage check_usage() {
  Usage usage{.synopsis = "check FILE… (--against REF | --datasheet PERCENT | --limits LIMITS) [options]",
              .summary =
                  "Acceptance test: every ceiling and operator passes, is low, inconclusive, suspicious or "
                  "missing.\nExit code 0: all "
                  "pass; 1: some do not.",
              .example = "gable check node017.json --against reference.json --tolerance 5% --junit check.xml",
              .options = po::options_description("options")};
  const auto strings = [] { return po::value<std::vector<std::string>>()->composing(); };
  auto add = usage.options.add_options();
  add("file", strings()->value_name("FILE"), "result files: several of one device are its repeats");
  add("against", strings()->value_name("REF"), "result file that is the reference; several are its repeats");
  add("tolerance", po::value<std::string>()->value_name("PERCENT")->default_value("10%"),
      "how much slower or faster than the reference is accepted");
  add("datasheet", po::value<std::string>()->value_name("PERCENT"), "least part of the vendor's figures");
  add("limits", po::value<std::string>()->value_name("LIMITS"), "accepted ranges: CSV or JSON (docs/check.md)");
  add("only", strings()->value_name("PATTERN"),
      "judge only rows whose name the pattern fits, with * ? [] as shells have them; may be repeated");
  add("junit", po::value<std::string>()->value_name("XML"), "write the verdicts as JUnit XML");
  add("force", po::bool_switch(), "replace an existing file of --junit");
  add("fom", po::bool_switch(), "print 'FOM name value unit' lines for a harness instead of the table");
  add("explain", po::bool_switch(), "print the formulas");
  offer_format(usage.options);
  offer_devices_files(usage.options);
  usage.positional.add("file", -1);
  return usage;
}

}  // namespace

int check(const Arguments& arguments) {
  Usage described = check_usage();
  const auto values = parse(described, arguments);
  if (!values) return exit_ok;
  check_options(*values);
  add_devices_files(*values);
  const Checked checked = questions::check(test_of(*values));
  if (values->count("junit") != 0)
    result::write_file_atomically((*values)["junit"].as<std::string>(), questions::junit(checked));
  if ((*values)["fom"].as<bool>()) {
    for (const std::string& remark : checked.remarks) say(printable(remark) + '\n');
    fmt::print("{}", questions::figures_of_merit(checked));
  } else {
    fmt::print("{}", written(questions::answer_of(checked, (*values)["explain"].as<bool>()), *values));
  }
  return checked.passed() ? exit_ok : exit_failed_rows;
}

}  // namespace gable::cli
