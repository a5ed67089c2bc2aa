#include "core/questions/check/trend.hpp"

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"

namespace gable::cli {

int trend(const Arguments& arguments) {
  Usage usage{
      .synopsis = "trend FILE… [options]",
      .summary =
          "One machine over time: which row left its band, when, and what else changed then.\nExit code 1: a row "
          "is slower than its band at the end; 3: no row is in two steps.",
      .example = "gable trend january.json february.json --by driver"};
  auto add = usage.options.add_options();
  add("file", many("FILE"), "result files of one device of one host, in any order");
  add("by", one("STEP")->default_value("date"),
      "date: every run; driver (of a CPU the kernel) or build: all runs of one together");
  add("tolerance", one("PERCENT")->default_value("5%"), "how much the band is wider than what was measured");
  offer_format(usage.options);
  usage.positional.add("file", -1);
  const auto values = parse(std::move(usage), arguments);
  if (!values) return exit_ok;
  if (!values->has("file")) throw Error("trend needs result files");
  const auto& by = values->text("by");
  const auto step = parse_name<questions::TrendStep>(by);
  if (!step) throw Error(fmt::format("--by: '{}' is none of date, driver, build", by));
  const double tolerance = fraction(*values, "tolerance", 0);
  const auto found = questions::trend_of(sources_of(texts(*values, "file")), *step, tolerance);
  fmt::print("{}", written(questions::answer_of(found, *step, tolerance), *values));
  return found.slower() ? exit_failed_rows : found.judged() > 0 ? exit_ok : exit_not_judged;
}

}  // namespace gable::cli
