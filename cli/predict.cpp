#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/analysis/prediction.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/operator.hpp"
#include "core/report/text_table.hpp"

namespace gable::cli {
namespace {

using analysis::Machine;
using analysis::Prediction;
using nlohmann::ordered_json;

constexpr int table_width = 170;

/// Work in one type: operators with their sizes, or plain figures.
struct Work {
  std::string name;
  Types types;
  std::vector<Stage> stages;
};

struct Line {
  std::string work, dtype, machine, basis;
  Prediction prediction;
};

std::optional<double> quantity(const po::variables_map& values, const std::string& option, std::string_view unit) {
  if (values.count(option) == 0) return {};
  try {
    return parse_quantity(values[option].as<std::string>(), unit);
  } catch (const Error& error) {
    throw Error(fmt::format("--{}: {}", option, error.what()));
  }
}

std::vector<DType> dtypes_of(const po::variables_map& values) {
  std::vector<DType> result;
  for (const std::string& text : list(values, "dtype")) {
    result.push_back(dtype_of("dtype", text));
  }
  if (result.empty()) result.push_back(DType::fp32);
  return result;
}

/// The operator's own types for a storage type.
Types types_of(const OperatorSpec& spec, DType dtype) {
  for (const Types& types : spec.types) {
    if (types.a == dtype) return types;
  }
  throw Error(fmt::format("--dtype: {} does not take {}", spec.name, to_string(dtype)));
}

/// One --params for each --operator, in the same order.
std::vector<std::pair<const OperatorSpec*, Params>> named_operators(const po::variables_map& values) {
  const auto names = texts(values, "operator");
  const auto sizes = texts(values, "params");
  if (names.size() != sizes.size()) {
    throw Error(
        fmt::format("predict needs one --params for each --operator: {} and {} are given", sizes.size(), names.size()));
  }
  std::vector<std::pair<const OperatorSpec*, Params>> result;
  for (std::size_t i = 0; i < names.size(); ++i) result.emplace_back(&find_spec(names[i]), Params::parse(sizes[i]));
  return result;
}

/// The operators one by one, and all of them together where they are fused.
std::vector<Work> operator_work(const po::variables_map& values, DType dtype) {
  std::vector<Work> list;
  Work together;
  for (const auto& [spec, params] : named_operators(values)) {
    const Types types = types_of(*spec, dtype);
    const auto stages = spec->work(params, types);
    list.push_back({fmt::format("{} {}", spec->name, params.to_string()), types, stages});
    together.stages.insert(together.stages.end(), stages.begin(), stages.end());
    together.types = types;
  }
  if (!values["fuse"].as<bool>()) return list;
  if (together.stages.size() < 2) throw Error("--fuse needs operators of at least two stages together");
  together.name = "all, one after another";
  Work fused{"all, fused", together.types, {analysis::fused(together.stages)}};
  return {together, fused};
}

/// --flop and --byte, or one of them with --intensity.
Work plain_work(const po::variables_map& values, DType dtype) {
  auto flop = quantity(values, "flop", "flop"), byte = quantity(values, "byte", "byte");
  if (values.count("intensity") != 0) {
    if (flop && byte) throw Error("--intensity goes with one of --flop and --byte, not with both");
    const double intensity = parse_quantity(values["intensity"].as<std::string>(), "flop/byte");
    if (!flop && !byte) byte = 1e9;
    if (flop)
      byte = *flop / intensity;
    else
      flop = *byte * intensity;
  }
  if (!flop && !byte) throw Error("predict needs --operator with --params, or --flop, --byte or --intensity");
  Work work{"given work", uniform_types(dtype), {Stage{}}};
  if (flop) work.stages.front().work = {{Unit::multiply_add, *flop}};
  work.stages.front().bytes_read = byte.value_or(0);
  return work;
}

std::vector<Work> work_of(const po::variables_map& values, DType dtype) {
  if (values.count("operator") == 0) {
    if (values["fuse"].as<bool>()) throw Error("--fuse needs --operator");
    return {plain_work(values, dtype)};
  }
  for (const char* option : {"flop", "byte", "intensity"}) {
    if (values.count(option) != 0) throw Error(fmt::format("--operator and --{} exclude each other", option));
  }
  return operator_work(values, dtype);
}

/// What --on names, then one machine for each stated bandwidth (or for the peak alone).
std::vector<Machine> machines_of(const po::variables_map& values, const Types& types) {
  std::vector<Machine> machines;
  for (const std::string& name : texts(values, "on")) machines.push_back(machine_named(name));
  analysis::StatedRoofs roofs{quantity(values, "peak", "flop/s"), {}, quantity(values, "launch", "s")};
  const auto add = [&](const std::string& name) {
    machines.push_back(analysis::machine_of(roofs, types));
    machines.back().name = name;
  };
  for (const std::string& text : texts(values, "bandwidth")) {
    try {
      roofs.byte_per_s = parse_quantity(text, "byte/s");
    } catch (const Error& error) {
      throw Error(fmt::format("--bandwidth: {}", error.what()));
    }
    add(text);
  }
  if (!roofs.byte_per_s && roofs.flop_per_s) add("the stated peak");
  if (machines.empty()) throw Error("predict needs --on DEVICE or RESULT.json, or --peak and --bandwidth");
  return machines;
}

std::string rate(const std::optional<double>& value) {
  return value ? format_quantity(*value, "flop/s") : std::string{};
}
std::string ratio(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : std::string{}; }

void print_text(const std::vector<Line>& lines) {
  report::TextTable table({{"work", false, true},
                           {"type", false, false},
                           {"machine", false, true},
                           {"flop", true, false},
                           {"bytes", true, false},
                           {"flop/byte", true, false},
                           {"ridge", true, false},
                           {"least time", true, false},
                           {"at most", true, false},
                           {"of peak", true, false},
                           {"factor", true, false},
                           {"regime", false, true}});
  const double first = lines.front().prediction.bound.time_s;
  for (const Line& line : lines) {
    const Prediction& p = line.prediction;
    table.add({line.work, line.dtype, line.machine, p.flop > 0 ? format_quantity(p.flop, "flop") : "",
               p.bytes > 0 ? format_quantity(p.bytes, "byte") : "", ratio(p.intensity), ratio(p.ridge),
               format_quantity(p.bound.time_s, "s"), rate(p.attainable),
               p.attainable && p.peak ? fmt::format("{:.3g} %", 100 * *p.attainable / *p.peak) : "",
               lines.size() > 1 ? fmt::format("{:.4g}", first / p.bound.time_s) : "",
               analysis::verdict(p.bound.limit)});
  }
  fmt::print("{}", table.render(table_width));
  for (const Line& line : lines) {
    if (line.prediction.missing.empty()) continue;
    fmt::print("{} on {}: left out for want of a roof: {}\n", line.work, line.machine,
               fmt::join(line.prediction.missing, ", "));
  }
}

void print_json(const std::vector<Line>& lines) {
  auto rows = ordered_json::array();
  const double first = lines.front().prediction.bound.time_s;
  for (const Line& line : lines) {
    const Prediction& p = line.prediction;
    ordered_json row{{"work", line.work},
                     {"dtype", line.dtype},
                     {"machine", line.machine},
                     {"basis", line.basis},
                     {"flop", p.flop},
                     {"bytes", p.bytes},
                     {"time_s", p.bound.time_s},
                     {"factor", first / p.bound.time_s},
                     {"regime", analysis::verdict(p.bound.limit)},
                     {"missing", p.missing}};
    if (p.intensity) row["intensity_flop_per_byte"] = *p.intensity;
    if (p.ridge) row["ridge_flop_per_byte"] = *p.ridge;
    if (p.peak) row["peak_flop_per_s"] = *p.peak;
    if (p.attainable) row["attainable_flop_per_s"] = *p.attainable;
    rows.push_back(row);
  }
  fmt::print("{}\n", ordered_json{{"predictions", rows}}.dump(2));
}

/// Smallest value of a size at which the one operator reaches the ridge.
void print_reach(const po::variables_map& values, const std::string& size) {
  const auto operators = named_operators(values);
  if (operators.size() != 1) throw Error("--reach needs exactly one --operator");
  const auto& [spec, given] = operators.front();
  for (const DType dtype : dtypes_of(values)) {
    const Types types = types_of(*spec, dtype);
    for (const Machine& machine : machines_of(values, types)) {
      const auto reaches = [&, chosen = spec](Params params, Index value) {
        params.set(size, value);
        const auto p = analysis::predict(machine, chosen->work(params, types), types);
        if (!p.ridge || !p.intensity) throw Error(fmt::format("{} has no ridge for this", machine.name));
        return *p.intensity >= *p.ridge;
      };
      given.at(size);
      constexpr Index most = Index{1} << 24;
      if (!reaches(given, most)) {
        fmt::print("{} {} on {}: no {} up to {} reaches the ridge\n", spec->name, to_string(dtype), machine.name, size,
                   most);
        continue;
      }
      Index low = 0, high = most;
      while (high - low > 1) (reaches(given, low + (high - low) / 2) ? high : low) = low + (high - low) / 2;
      fmt::print("{} {} on {}: reaches the ridge from {}={} on\n", spec->name, to_string(dtype), machine.name, size,
                 high);
    }
  }
}

void print_formulas() {
  fmt::print(
      "\nformulas (docs/predict.md)\n"
      "  flop/byte   I = F / Q, Q compulsory: each input read once, each output written once\n"
      "  ridge       P / B\n"
      "  least time  of a stage max(F / P of every unit, Q / B, launches x T0); stages add up\n"
      "  fused       what one operator hands to the next moves neither way; one launch\n"
      "  factor      least time of the first row / least time of this row\n");
}

}  // namespace

int predict(const Arguments& arguments) {
  Usage usage{
      .synopsis = "predict (--operator NAME --params … | --flop F --byte Q) (--on NAME | --peak P --bandwidth B)",
      .summary = "The roofline's answer for work that nobody has run: least time, regime, and what would change it.",
      .example = "gable predict --operator gemm --params m=16,n=4096,k=4096 --dtype fp16,int8 --on 'H100 SXM5 80GB'",
      .options = po::options_description("options")};
  const auto strings = [] { return po::value<std::vector<std::string>>()->composing(); };
  const auto string = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = usage.options.add_options();
  add("operator", strings()->value_name("NAME"), "an operator; may be repeated");
  add("params", strings()->value_name("m=…,n=…"), "its sizes: one for each operator");
  add("fuse", po::bool_switch(), "the operators one after another against one fused operator");
  add("reach", string("SIZE"), "smallest value of this size that reaches the ridge");
  add("flop", string("F"), "work without an operator: operations …");
  add("byte", string("Q"), "… and bytes from main memory");
  add("intensity", string("I"), "flop/byte, instead of one of them");
  add("dtype", strings()->value_name("TYPE,…"), "data types to compare (fp32)");
  add("on", strings()->value_name("NAME"),
      "a device of the catalogue or a result file (FILE.json:DEVICE); may be repeated");
  add("peak", string("P"), "stated peak: 312T, 989TFLOP/s");
  add("bandwidth", strings()->value_name("B"), "stated bandwidth: 3.35TB/s; may be repeated");
  add("launch", string("T"), "stated cost of a launch: 5us");
  add("in", string("LEVEL"), "the working set stays in this level: L2");
  add("explain", po::bool_switch(), "print the formulas");
  add("json", po::bool_switch(), "as JSON");
  const auto values = parse(usage, arguments);
  if (!values) return exit_ok;
  if (values->count("reach") != 0) {
    print_reach(*values, (*values)["reach"].as<std::string>());
    return exit_ok;
  }
  const std::string level = values->count("in") != 0 ? (*values)["in"].as<std::string>() : "";
  std::vector<Line> lines;
  for (const DType dtype : dtypes_of(*values)) {
    for (const Work& work : work_of(*values, dtype)) {
      for (const Machine& machine : machines_of(*values, work.types)) {
        lines.push_back({work.name, std::string(to_string(dtype)), machine.name, machine.basis,
                         analysis::predict(machine, work.stages, work.types, level)});
      }
    }
  }
  if ((*values)["json"].as<bool>()) {
    print_json(lines);
    return exit_ok;
  }
  print_text(lines);
  if ((*values)["explain"].as<bool>()) print_formulas();
  return exit_ok;
}

}  // namespace gable::cli
