#include "core/report/explanation_answer.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/analysis/what_if.hpp"
#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/result/roofs.hpp"

namespace gable::cli {
namespace {

Usage usage() {
  Usage usage{.synopsis = "explain FILE[:DEVICE] [POINT] [options]",
              .summary =
                  "What limits a measured operator, how far it is from that, and what would make it faster. Without "
                  "a point: the device, and every point of it, most lost time first.",
              .example = "gable explain result.json gemm/openblas/fp32 --on 'H100 SXM5 80GB'",
              .options = po::options_description("options")};
  auto add = usage.options.add_options();
  add("file", po::value<std::string>()->value_name("FILE"),
      "result file; FILE.json:DEVICE where it has several devices");
  add("point", po::value<std::string>()->value_name("POINT"), "id of a point, or a part that only one has");
  add("on", po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
      "another device to judge: of the catalogue or a result file; may be repeated");
  add("terse", po::bool_switch(), "of a point one line a fact, of a device its tables without sentences");
  add("explain", po::bool_switch(), "print the formulas");
  offer_format(usage.options);
  offer_devices_files(usage.options);
  usage.positional.add("file", 1).add("point", 1);
  return usage;
}

}  // namespace

int explain(const Arguments& arguments) {
  Usage described = usage();
  const auto values = parse(described, arguments);
  if (!values) return exit_ok;
  if (values->count("file") == 0) throw Error("explain needs a result file");
  add_devices_files(*values);
  const std::string& named = (*values)["file"].as<std::string>();
  const NamedFile file = file_named(named).value_or(NamedFile{named, ""});
  const Result result = load_result(file.path);
  const std::string device = device_named(result, file.path, file.device);
  std::vector<analysis::MachineModel> others;
  for (const std::string& other : texts(*values, "on")) others.push_back(machine_named(other));
  const bool one = values->count("point") != 0;
  const auto summary =
      one ? analysis::explain_point(result, device, (*values)["point"].as<std::string>(), operator_specs(), others)
          : analysis::explain_device(result, device, operator_specs(), others);
  const report::ExplanationStyle style{(*values)["terse"].as<bool>(), (*values)["explain"].as<bool>()};
  fmt::print("{}", written(report::explanation_answer(summary, one, style), *values));
  return exit_ok;
}

}  // namespace gable::cli
