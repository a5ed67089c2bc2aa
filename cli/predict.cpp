#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/catalogue_option.hpp"
#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "cli/predict_text.hpp"
#include "cli/predict_work.hpp"
#include "core/analysis/smallest.hpp"
#include "core/analysis/widening.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/result/store.hpp"

namespace gable::cli {
namespace {

using analysis::Machine;
using analysis::Work;

void exclude(const po::variables_map& values, const char* option, std::initializer_list<const char*> others) {
  if (!is_given(values, option)) return;
  for (const char* other : others) {
    if (is_given(values, other)) throw Error(fmt::format("--{} and --{} exclude each other", option, other));
  }
}

std::vector<Machine> some_machines(const po::variables_map& values, const Types& types) {
  auto machines = machines_of(values, std::span<const Types>(&types, 1));
  if (machines.empty()) throw Error("predict needs --on DEVICE or RESULT.json, or --peak and --bandwidth");
  return machines;
}

std::string level_of(const po::variables_map& values) {
  return is_given(values, "in") ? values["in"].as<std::string>() : std::string{};
}

bool multiplies(const Work& work) {
  return std::ranges::any_of(work.stages, [](const Stage& stage) {
    return std::ranges::any_of(stage.work, [](const UnitWork& one) { return one.unit == Unit::multiply_add; });
  });
}

PredictedLine line_of(const Work& work, const Machine& machine, const std::string& level) {
  return {.work = work,
          .dtype = std::string(to_string(work.types.a)),
          .machine = machine.name,
          .basis = analysis::basis_text(machine.basis, machine.source),
          .level = level,
          .prediction = analysis::predict(machine, work.stages, work.types, level, work.cold),
          .note = multiplies(work) ? analysis::widening_note(machine, work.types) : ""};
}

/// Quotients of finite figures need not be finite.
void check_finite(const std::vector<PredictedLine>& lines, std::optional<double> items) {
  for (const PredictedLine& line : lines) {
    const double time = line.prediction.bound.time_s, first = lines.front().prediction.bound.time_s;
    for (const double figure : {first / time, time / items.value_or(1), items.value_or(1) / time}) {
      if (!std::isfinite(figure))
        throw Error(fmt::format("{} on {}: a figure of the answer is not finite", line.work.name, line.machine));
    }
  }
}

std::vector<PredictedLine> predicted(const po::variables_map& values) {
  auto dtypes = dtypes_of(values, "dtype");
  if (dtypes.empty()) dtypes.push_back(DType::fp32);
  std::vector<PredictedLine> lines;
  for (const DType dtype : dtypes) {
    for (const Work& work : work_of(values, dtype)) {
      for (const Machine& machine : some_machines(values, work.types)) {
        lines.push_back(line_of(work, machine, level_of(values)));
        lines.back().sized = !only_intensity(values);
      }
    }
  }
  return lines;
}

/// The measured point under its own roofs, then what is asked of it.
std::vector<PredictedLine> predicted_of_point(const po::variables_map& values) {
  const auto named = file_named(values["point"].as<std::string>());
  if (!named) throw Error(fmt::format("--point: '{}' is no FILE.json:ID", values["point"].as<std::string>()));
  const auto& [file, id] = *named;
  const Result result = result::load(file);
  const Point& point = analysis::find_point(result.points, id);
  auto machine = analysis::machine_of(result, point.device, point.scope);
  machine.source = file;
  std::vector<PredictedLine> lines{line_of(analysis::work_of(point), machine, {})};
  lines.front().measured = Timed{point.time.value, point.time.ci_low, point.time.ci_high};
  const Timed slower = lines.front().measured->times(1 / lines.front().prediction.bound.time_s).at_least(1);
  const bool asked = std::ranges::any_of(std::array{"dtype", "scale", "in", "on", "peak", "bandwidth"},
                                         [&](const char* option) { return is_given(values, option); });
  if (!asked && !values["fuse"].as<bool>()) return lines;
  for (const Work& work : changed_work(values, point)) {
    auto machines = machines_of(values, std::span<const Types>(&work.types, 1));
    if (machines.empty()) machines.push_back(machine);
    for (const Machine& other : machines) {
      lines.push_back(line_of(work, other, level_of(values)));
      if (lines.front().prediction.missing.empty() && lines.back().prediction.missing.empty())
        lines.back().expected = slower.times(lines.back().prediction.bound.time_s);
    }
  }
  return lines;
}

constexpr Index most_reach = Index{1} << 24;

/// Smallest value of a size at which the operator's intensity is the ridge's.
Reach reach_of(const OperatorSpec& spec, const Params& given, const std::string& size, DType dtype,
               const Machine& machine) {
  const auto at = [&](Index value) {
    Params params = given;
    params.set(size, value);
    const Work work = analysis::work_of(spec, params, dtype);
    auto p = analysis::predict(machine, work.stages, work.types);
    if (!p.ridge || !p.intensity) throw Error(fmt::format("{} has no ridge for this", machine.name));
    return p;
  };
  const auto reaches = [&](Index value) {
    const auto p = at(value);
    return *p.intensity >= *p.ridge;
  };
  Reach reach{std::string(spec.name), std::string(to_string(dtype)), machine.name, size,
              analysis::smallest(most_reach, reaches)};
  const auto p = at(reach.from.value_or(most_reach));
  reach.intensity = *p.intensity;
  reach.ridge = *p.ridge;
  return reach;
}

std::vector<Reach> reaches(const po::variables_map& values) {
  const auto operators = named_operators(values);
  if (operators.size() != 1) throw Error("--reach needs exactly one --operator");
  const auto& [spec, params] = operators.front();
  const std::string size = values["reach"].as<std::string>();
  params.at(size);
  auto dtypes = dtypes_of(values, "dtype");
  if (dtypes.empty()) dtypes.push_back(DType::fp32);
  std::vector<Reach> result;
  for (const DType dtype : dtypes) {
    for (const Machine& machine : some_machines(values, analysis::types_of(*spec, dtype))) {
      result.push_back(reach_of(*spec, params, size, dtype, machine));
    }
  }
  return result;
}

Usage usage_of_predict() {
  Usage usage{
      .synopsis =
          "predict (--operator NAME --params … | --point FILE.json:ID | --flop F --byte Q) "
          "(--on NAME | --peak P --bandwidth B)",
      .summary = "The roofline's answer for work that nobody has run: least time, regime, and what would change it.",
      .example = "gable predict --operator gemm --params m=16,n=4096,k=4096 --dtype fp16,int8 --on 'H100 SXM5 80GB'",
      .options = po::options_description("options")};
  const auto strings = [](const char* name) {
    return po::value<std::vector<std::string>>()->composing()->value_name(name);
  };
  const auto string = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = usage.options.add_options();
  add("operator", strings("NAME"), "an operator; may be repeated");
  add("params", strings("m=…,n=…"), "its sizes: one for each operator");
  add("point", string("FILE.json:ID"), "a measured point of a result file, by a part of its id");
  add("flop", strings("F"), "work without an operator: operations …");
  add("byte", strings("Q"), "… and bytes from main memory; several times to compare");
  add("intensity", strings("I"), "flop/byte, instead of one of them");
  add("dtype", strings("TYPE,…"), "data types to compare (fp32; the point's own)");
  add("scale", strings("m=4"), "sizes times factors: a larger batch");
  add("fuse", po::bool_switch(), "the operators one after another against one fused operator; a point in one launch");
  add("in", string("LEVEL"), "the working set stays in this level: L2");
  add("items", strings("N"), "results that the work yields (tokens of a batch): time of one, and their rate");
  add("reach", string("SIZE"), "smallest value of this size that reaches the ridge");
  offer_machines(usage.options);
  add("explain", po::bool_switch(), "print operations by unit and the formulas");
  add("json", po::bool_switch(), "as JSON");
  offer_devices_files(usage.options);
  return usage;
}

}  // namespace

int predict(const Arguments& arguments) {
  Usage usage = usage_of_predict();
  const auto values = parse(usage, arguments);
  if (!values) return exit_ok;
  add_devices_files(*values);
  exclude(*values, "operator", {"point", "flop", "byte", "intensity"});
  exclude(*values, "point", {"params", "flop", "byte", "intensity", "reach"});
  exclude(*values, "reach", {"items", "in", "fuse", "explain"});
  const bool as_json = (*values)["json"].as<bool>();
  if (is_given(*values, "reach")) {
    print_reach(reaches(*values), most_reach, as_json);
    return exit_ok;
  }
  if (texts(*values, "items").size() > 1) throw Error("--items is given more than once");
  const auto given_items = quantities(*values, "items", "1");
  const auto items = given_items.empty() ? std::nullopt : std::optional(given_items.back());
  if (items && only_intensity(*values)) throw Error("--items needs --flop or --byte beside --intensity");
  const auto lines = is_given(*values, "point") ? predicted_of_point(*values) : predicted(*values);
  check_finite(lines, items);
  if (as_json) {
    print_predictions_json(lines, items);
    return exit_ok;
  }
  print_predictions(lines, items);
  if ((*values)["explain"].as<bool>()) print_prediction_formulas(lines);
  return exit_ok;
}

}  // namespace gable::cli
