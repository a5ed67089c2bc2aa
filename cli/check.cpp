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

questions::AcceptanceTest test_of(const Options& values) {
  questions::AcceptanceTest test{.files = sources_of(texts(values, "file")),
                                 .references = sources_of(texts(values, "against")),
                                 .tolerance = fraction(values, "tolerance", 0),
                                 .only = texts(values, "only")};
  if (values.has("datasheet")) test.datasheet = fraction(values, "datasheet", 1);
  if (values.has("limits")) test.limits = questions::read_limits(values.text("limits"));
  return test;
}

void check_options(const Options& values) {
  if (!values.has("file")) throw Error("check needs a result file");
  if (!values.has("against") && !values.has("datasheet") && !values.has("limits"))
    throw Error("check needs --against REF, --datasheet PERCENT or --limits FILE");
  if (!values.has("against") && values.is_stated("tolerance")) throw Error("--tolerance goes with --against");
  fraction(values, "tolerance", 0);
  if (values.has("datasheet")) fraction(values, "datasheet", 1);
  if (values.is_on("fom") && values.has("format")) throw Error(form_option(values) + " and --fom exclude each other");
  if (values.is_on("fom") && values.is_on("explain"))
    throw Error("--explain and --fom exclude each other: lines for a harness have no formulas");
  if (!values.has("junit")) {
    if (values.is_on("force")) throw Error("--force goes with --junit");
    return;
  }
  refuse_inputs(values, "junit", values.text("junit"));
  check_new_file("junit", values.text("junit"), values.is_on("force"));
}

Usage check_usage() {
  Usage usage{.synopsis = "check FILE… (--against REF | --datasheet PERCENT | --limits LIMITS) [options]",
              .summary =
                  "Acceptance test: every ceiling and operator passes, is low, inconclusive, suspicious or "
                  "missing.\nExit code 0: all "
                  "pass; 1: some do not.",
              .example = "gable check node017.json --against reference.json --tolerance 5% --junit check.xml"};
  auto add = usage.options.add_options();
  add("file", many("FILE"), "result files: several of one device are its repeats");
  add("against", many("REF"), "result file that is the reference; several are its repeats");
  add("tolerance", one("PERCENT")->default_value("10%"), "how much slower or faster than the reference is accepted");
  add("datasheet", one("PERCENT"), "least part of the vendor's figures");
  add("limits", one("LIMITS"), "accepted ranges: CSV or JSON (docs/check.md)");
  add("only", many("PATTERN"),
      "judge only rows whose name the pattern fits, with * ? [] as shells have them; may be repeated");
  add("junit", one("XML"), "write the verdicts as JUnit XML");
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
  const auto values = parse(check_usage(), arguments);
  if (!values) return exit_ok;
  check_options(*values);
  add_devices_files(*values);
  const Checked checked = questions::check(test_of(*values));
  if (values->has("junit"))
    result::write_file_atomically(values->text("junit"), questions::junit(checked), values->is_on("force"));
  if (values->is_on("fom")) {
    for (const std::string& remark : checked.remarks) say(printable(remark) + '\n');
    fmt::print("{}", questions::figures_of_merit(checked));
  } else {
    fmt::print("{}", written(questions::answer_of(checked, values->is_on("explain")), *values));
  }
  return checked.passed() ? exit_ok : exit_failed_rows;
}

}  // namespace gable::cli
