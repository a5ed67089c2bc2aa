#include "core/questions/explain/explanation.hpp"

#include <fmt/ranges.h>

#include <utility>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "cli/point_options.hpp"
#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/questions/explain/contention.hpp"
#include "core/result/merge.hpp"
#include "core/sequence.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::cli {
namespace {

Usage explain_usage() {
  Usage usage{.synopsis = "explain FILE… [POINT] [options]",
              .summary =
                  "What limits a measured operator, how far it is from that, and what would make it faster. Without "
                  "a point: the device, and every point of it, most lost time first.",
              .example = "gable explain result.json gemm/openblas/fp32 --on 'H100 SXM5 80GB'"};
  auto add = usage.options.add_options();
  add("file", many("FILE"),
      "result files of one device (calibrations and runs), taken together as report does; FILE.json:DEVICE where one "
      "has "
      "several devices");
  add("point", one("POINT"), "id of a point, or a part that only one has; also as the last argument");
  add("on", many("NAME"), "another device to judge: of the catalogue or a result file; may be repeated");
  add("terse", po::bool_switch(), "of a point one line a fact, of a device its tables without sentences");
  add("explain", po::bool_switch(), "print the formulas");
  offer_point_choice(usage.options);
  offer_format(usage.options);
  offer_devices_files(usage.options);
  usage.positional.add("file", -1);
  return usage;
}

/// What the files measured together, and the device that is asked for.
struct Measured {
  Result result;
  std::string device;
  std::vector<questions::ContentionOf> contentions;  ///< of all devices of the file
};

/// Drops the other devices and their rows.
void keep_only(Result& result, const std::string& device) {
  const auto other = [&](const auto& row) { return row.device != device; };
  std::erase_if(result.devices, [&](const DeviceInfo& one) { return one.id != device; });
  std::erase_if(result.ceilings, other);
  std::erase_if(result.curves, other);
  std::erase_if(result.points, other);
}

Measured measured_in(const std::vector<std::string>& names) {
  if (names.empty()) throw Error("explain needs a result file");
  std::vector<Result> results;
  std::vector<std::string> files;
  std::string device;
  std::vector<questions::ContentionOf> contentions;
  for (const std::string& name : names) {
    const NamedFile file = file_named(name).value_or(NamedFile{name, ""});
    Result one = load_result(file.path);
    contentions = questions::contentions(one);
    if (!file.device.empty()) {
      device = device_named(one, file.path, file.device);
      keep_only(one, device);
    }
    results.push_back(std::move(one));
    files.push_back(file.path);
  }
  if (results.size() == 1) return {results.front(), device_named(results.front(), names.front(), device), contentions};
  Result merged = result::merge(results, files);
  set_verdicts(merged);
  if (merged.devices.size() > 1) {
    throw Error(
        fmt::format("these files are of several devices, or measured one twice ({}): explain takes one. Of "
                    "anonymous files it only knows as one what was imported with --device FILE, and that file",
                    fmt::join(mapped(merged.devices, &DeviceInfo::id), ", ")));
  }
  return {merged, merged.devices.front().id, questions::contentions(merged)};
}

/// Takes the last of the names for a point if it is no file.
std::optional<std::string> point_among(std::vector<std::string>& names, const Options& values) {
  if (values.has("point")) return values.text("point");
  if (names.size() < 2 || file_named(names.back())) return {};
  std::string point = std::move(names.back());
  names.pop_back();
  return point;
}

}  // namespace

int explain(const Arguments& arguments) {
  const auto values = parse(explain_usage(), arguments);
  if (!values) return exit_ok;
  add_devices_files(*values);
  auto names = texts(*values, "file");
  const auto point = point_among(names, *values);
  if (point && chooses_points(*values))
    throw Error(fmt::format("--only and --top choose of many points: leave them out, or '{}'", *point));
  auto [result, device, contentions] = measured_in(names);
  keep_points(result, point_choice(*values));
  const auto others = mapped(texts(*values, "on"), machine_named);
  const auto summary = point ? questions::explain_point(result, device, *point, operator_specs(), others)
                             : questions::explain_device(result, device, operator_specs(), others);
  const questions::ExplanationStyle style{values->is_on("terse"), values->is_on("explain")};
  auto answer = questions::explanation_answer(summary, point.has_value(), style);
  if (!point) questions::add_contentions(answer, contentions, device);
  fmt::print("{}", written(answer, *values));
  return exit_ok;
}

}  // namespace gable::cli
