#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/catalogue_option.hpp"
#include "cli/command.hpp"
#include "cli/explain_text.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/analysis/what_if.hpp"
#include "core/device/product.hpp"
#include "core/error.hpp"
#include "core/model/standing.hpp"
#include "core/operator.hpp"
#include "core/result/roofs.hpp"

namespace gable::cli {
namespace {

using analysis::Explanation;
using analysis::Machine;
using nlohmann::ordered_json;

ordered_json levers_json(const Explanation& answer) {
  auto rows = ordered_json::array();
  for (const analysis::Lever& lever : answer.levers) {
    ordered_json row{{"name", lever.name}, {"change", lever.change}};
    if (lever.factor) row["factor"] = *lever.factor;
    if (lever.factor_low) row["factor_low"] = *lever.factor_low;
    if (lever.factor_high) row["factor_high"] = *lever.factor_high;
    if (!lever.measured.empty()) row["measured"] = lever.measured;
    row[lever.factor ? "assumption" : "not_judged"] = lever.assumption;
    rows.push_back(row);
  }
  return rows;
}

ordered_json json_of(const Explanation& answer) {
  const Point& point = answer.point;
  ordered_json row{{"id", point.id},
                   {"operator", point.op},
                   {"implementation", point.implementation},
                   {"dtype", to_string(point.types.a)},
                   {"params", point.params},
                   {"time_s", point.time.value},
                   {"bound_s", answer.bound_s},
                   {"work_s", answer.work_s},
                   {"overhead_s", answer.overhead_s},
                   {"lost_s", analysis::lost_s(point)},
                   {"fraction_of_bound", answer.fraction},
                   {"regime", to_string(*point.regime)},
                   {"limit", answer.limit.label},
                   {"disturbed", answer.disturbed},
                   {"invalid", answer.invalid}};
  const auto maybe = [&](const char* key, const auto& value) {
    if (value) row[key] = *value;
  };
  maybe("fraction_of_bound_low", answer.fraction_low);
  maybe("fraction_of_bound_high", answer.fraction_high);
  maybe("half_interval_percent", answer.half_interval_percent);
  if (answer.limit_value) row["limit_value"] = {{"value", *answer.limit_value}, {"unit", answer.limit_unit}};
  if (answer.ridge) {
    row["ridge"] = {{"level", answer.ridge->level},
                    {"intensity_flop_per_byte", answer.ridge->flop_per_byte},
                    {"ridge_flop_per_byte", answer.ridge->ridge_flop_per_byte},
                    {"peak", answer.ridge->peak},
                    {"peak_flop_per_s", answer.ridge->flop_per_s},
                    {"bandwidth_byte_per_s", answer.ridge->byte_per_s}};
  }
  if (answer.datasheet) {
    row["datasheet"] = {{"bound_s", answer.datasheet->time_s},
                        {"fraction_of_bound", answer.datasheet->fraction},
                        {"limit", answer.datasheet->limit}};
  }
  for (const auto& cause : answer.causes) row["causes"].push_back({{"cause", cause.text}, {"seen", cause.seen}});
  row["levers"] = levers_json(answer);
  return row;
}

void print_json(const MachineExplained& summary) {
  auto ridges = ordered_json::array();
  for (const auto& [roof, flop_per_byte] : analysis::ridges(summary.machine)) {
    ridges.push_back({{"roof", roof.label},
                      {"execution_unit", to_string(roof.unit)},
                      {"dtype", to_string(roof.dtype)},
                      {"peak_flop_per_s", roof.flop_per_s},
                      {"ridge_flop_per_byte", flop_per_byte}});
  }
  auto points = ordered_json::array();
  for (const Explanation& answer : summary.points) points.push_back(json_of(answer));
  fmt::print("{}\n", ordered_json{{"device", summary.title},
                                  {"catalogue_entry", summary.catalogue_entry},
                                  {"ridges", ridges},
                                  {"points", points},
                                  {"without_verdict", summary.without}}
                         .dump(2));
}

/// What a device and a scope are called.
std::string title_of(const DeviceInfo& device, Scope scope) {
  return fmt::format("{} ({}), {}", device.name.empty() ? device.id : device.name, device.id, to_string(scope));
}

MachineExplained summary_of(const Result& result, const std::string& device, Scope scope) {
  MachineExplained summary;
  summary.machine = analysis::machine_of(result, device, scope);
  const auto info = std::ranges::find(result.devices, device, &DeviceInfo::id);
  summary.title = title_of(*info, scope);
  if (const auto* entry = catalogue::product(*info)) summary.catalogue_entry = entry->name;
  return summary;
}

MachineExplained summary_of_point(const Result& result, const std::string& device, const std::string& id,
                                  std::span<const Machine> others) {
  std::vector<Point> here;
  std::ranges::copy_if(result.points, std::back_inserter(here),
                       [&](const Point& point) { return point.device == device; });
  for (Point& point : here) {
    if (above_roof(point)) point.status = Status::ok;  // it is judged anew, and may be asked for
  }
  const Point& point = analysis::find_point(here, id);
  auto summary = summary_of(result, device, point.scope);
  summary.points.push_back(analysis::explain(result, point, operator_specs(), others));
  return summary;
}

MachineExplained summary_of_points(const Result& result, const std::string& device, std::span<const Machine> others) {
  auto summary = summary_of(result, device, widest_scope(result, device));
  for (const Point& point : result.points) {
    if (point.device != device) continue;
    try {
      summary.points.push_back(analysis::explain(result, point, operator_specs(), others));
    } catch (const Error& error) {
      summary.without.emplace_back(error.what());
    }
  }
  std::ranges::stable_sort(summary.points, std::greater<>{},
                           [](const Explanation& answer) { return analysis::lost_s(answer.point); });
  return summary;
}

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
  add("terse", po::bool_switch(), "one line a fact");
  add("explain", po::bool_switch(), "print the formulas");
  add("json", po::bool_switch(), "as JSON, with the levers that cannot be judged");
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
  std::vector<Machine> others;
  for (const std::string& other : texts(*values, "on")) others.push_back(machine_named(other));
  const bool one = values->count("point") != 0;
  const auto summary = one ? summary_of_point(result, device, (*values)["point"].as<std::string>(), others)
                           : summary_of_points(result, device, others);
  if ((*values)["json"].as<bool>()) {
    print_json(summary);
    return exit_ok;
  }
  const bool terse = (*values)["terse"].as<bool>();
  if (one)
    fmt::print("{}", terse ? terse_text(summary.points.front()) : plain_text(summary.points.front(), summary));
  else
    fmt::print("{}", terse ? terse_text(summary) : plain_text(summary));
  if ((*values)["explain"].as<bool>()) fmt::print("{}", formulas_of_explain());
  return exit_ok;
}

}  // namespace gable::cli
