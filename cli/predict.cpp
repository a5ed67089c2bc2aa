#include <algorithm>
#include <initializer_list>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/model/dtype.hpp"
#include "core/model/point.hpp"
#include "core/operator.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/questions/predict/what_if.hpp"
#include "core/result/store.hpp"
#include "core/sequence.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::cli {
namespace {

using questions::Predicted;
using questions::Work;

/// Of all --scale together: "m=4".
Params factors_of(const Options& values) {
  Params factors;
  for (const std::string& text : texts(values, "scale")) {
    const Params given = Params::parse(text);
    for (const auto& [name, value] : given.values()) {
      if (factors.has(name)) throw Error(fmt::format("--scale: {} is there twice", name));
      factors.set(name, given.at(name));
    }
  }
  return factors;
}

/// Those factors that this operator has a size for.
Params own(const Params& factors, const Params& sizes) {
  Params part;
  for (const auto& [name, value] : factors.values()) {
    if (sizes.has(name)) part.set(name, factors.at(name));
  }
  return part;
}

/// Plain figures without any amount: neither operations nor bytes.
bool only_intensity(const Options& values) {
  return values.is_stated("intensity") && !values.is_stated("flop") && !values.is_stated("byte");
}

/// One --params for each --operator, in the same order, sizes scaled.
std::vector<questions::SizedOperator> named_operators(const Options& values) {
  const auto names = texts(values, "operator"), sizes = texts(values, "params");
  if (names.size() != sizes.size()) {
    throw Error(
        fmt::format("predict needs one --params for each --operator: {} and {} are given", sizes.size(), names.size()));
  }
  const Params factors = factors_of(values);
  std::vector<questions::SizedOperator> result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const OperatorSpec& spec = find_spec(names[i]);
    const Params given = ordered(spec, Params::parse(sizes[i]));
    result.emplace_back(&spec, questions::scaled(given, own(factors, given)));
  }
  for (const auto& [name, value] : factors.values()) {
    const auto has = [&, wanted = std::string_view(name)](const auto& one) { return one.second.has(wanted); };
    if (std::ranges::none_of(result, has)) throw Error(fmt::format("--scale: no operator has the size '{}'", name));
  }
  return result;
}

void add_sibling(std::vector<Work>& list, const questions::SizedOperator& op, DType dtype) {
  if (auto sibling = questions::by_fused_sibling(op, dtype, operator_specs())) list.push_back(*std::move(sibling));
}

/// The operators one by one, and all of them together where they are fused; of one also the operator that does so.
std::vector<Work> operator_work(const Options& values, DType dtype) {
  const auto operators = named_operators(values);
  std::vector<Work> list;
  if (values.is_on("fuse")) {
    list = {questions::in_turn(operators, dtype), questions::in_one_launch(operators, dtype)};
    if (operators.size() == 1) add_sibling(list, operators.front(), dtype);
    return list;
  }
  for (const auto& [spec, params] : operators) list.push_back(questions::work_of(*spec, params, dtype));
  return list;
}

/// --flop and --byte, or one of them with --intensity; each once for all, or once for each piece of work.
std::vector<Work> plain_work(const Options& values, DType dtype) {
  const auto flops = quantities(values, "flop", "flop"), bytes = quantities(values, "byte", "byte");
  const auto intensities = quantities(values, "intensity", "flop/byte");
  const auto count = std::max({flops.size(), bytes.size(), intensities.size()});
  if (count == 0) throw Error("predict needs --operator with --params, --point, --flop, --byte or --intensity");
  if (!flops.empty() && !bytes.empty() && !intensities.empty())
    throw Error("--intensity goes with one of --flop and --byte, not with both");
  for (const auto* list : {&flops, &bytes, &intensities}) {
    if (list->size() > 1 && list->size() != count)
      throw Error("--flop, --byte and --intensity are given once each, or equally often");
  }
  std::vector<Work> result;
  for (std::size_t i = 0; i < count; ++i) {
    const questions::PlainWork plain{one_for(flops, i), one_for(bytes, i), one_for(intensities, i)};
    result.push_back(questions::work_of(plain, count == 1 ? "given work" : fmt::format("given work {}", i + 1), dtype));
  }
  return result;
}

/// The operators, fused or not, or plain figures, in one type.
std::vector<Work> work_of(const Options& values, DType dtype) {
  if (values.is_stated("operator")) return operator_work(values, dtype);
  if (values.is_on("fuse")) throw Error("--fuse needs --operator or --point");
  if (values.is_stated("scale")) throw Error("--scale needs --operator or --point");
  return plain_work(values, dtype);
}

/// The point in the named types and sizes, and fused if asked for; unchanged if nothing is named.
std::vector<Work> changed_work(const Options& values, const Point& point) {
  auto dtypes = mapped(dtypes_of(values, "dtype"), [](DType dtype) { return std::optional(dtype); });
  const Params factors = factors_of(values);
  std::vector<Point> points;
  if (dtypes.empty() && factors.values().empty()) {
    points.push_back(point);
  } else {
    if (dtypes.empty()) dtypes.emplace_back();
    const OperatorSpec* spec = questions::known_operator(point, operator_specs());
    if (spec == nullptr && ran_here(point)) find_spec(point.op);  // says that this build lacks it
    for (const auto& dtype : dtypes) points.push_back(questions::changed(point, spec, factors, dtype));
  }
  std::vector<Work> result;
  for (const Point& one : points) {
    result.push_back(questions::work_of(one));
    if (!values.is_on("fuse")) continue;
    result.back() = questions::in_one_launch(one, operator_specs());
    if (const auto* spec = questions::known_operator(one, operator_specs()); spec && one.launches == 1)
      add_sibling(result, {spec, Params::parse(one.params)}, one.types.a);
  }
  return result;
}

/// The work, or with --reuse what would be left of its bytes.
Work with_reuse(const Options& values, Work work) {
  if (!values.is_stated("reuse")) return work;
  return questions::reused(std::move(work), number_within("reuse", values.text("reuse"), {1, 1e9}, "factor"));
}

void exclude(const Options& values, const char* option, std::initializer_list<const char*> others) {
  if (!values.is_stated(option)) return;
  for (const char* other : others) {
    if (values.is_stated(other)) throw Error(fmt::format("--{} and --{} exclude each other", option, other));
  }
}

std::vector<MachineModel> some_machines(const Options& values, const Types& types) {
  auto machines = machines_of(values, std::span<const Types>(&types, 1));
  if (machines.empty()) throw Error("predict needs --on DEVICE or RESULT.json, or --peak and --bandwidth");
  return machines;
}

std::vector<Predicted> predicted(const Options& values) {
  auto dtypes = dtypes_of(values, "dtype");
  if (dtypes.empty()) dtypes.push_back(DType::fp32);
  std::vector<Predicted> lines;
  for (const DType dtype : dtypes) {
    for (const Work& plain : work_of(values, dtype)) {
      const Work work = with_reuse(values, plain);
      for (const MachineModel& machine : some_machines(values, work.types)) {
        lines.push_back(questions::predict(work, machine, values.text("in")));
        lines.back().sized = !only_intensity(values);
      }
    }
  }
  return lines;
}

bool any_given(const Options& values, std::initializer_list<const char*> options) {
  return std::ranges::any_of(options, [&](const char* option) { return values.is_stated(option); });
}

/// Roofs of the point's own device. Nothing where its file has none and others are named: imported points may stand in
/// a file without ceilings. Throws Error where there are none at all.
std::optional<MachineModel> own_machine(const Options& values, const std::string& file, const Result& result,
                                        const Point& point) {
  if (has_ceilings(result, point.device, point.scope)) {
    auto machine = questions::machine_of(result, point.device, point.scope);
    machine.source = file;
    return machine;
  }
  if (any_given(values, {"on", "peak", "bandwidth"})) return {};
  throw Error(
      fmt::format("--point: {} has no ceilings of {}: name a machine with --on, or merge the file with the result that "
                  "has them: gable report CEILINGS.json {} --output both.json",
                  file, point.device, file));
}

/// The measured point under its own roofs, where there are any, then the predictions that were asked for.
std::vector<Predicted> predicted_of_point(const Options& values) {
  const auto named = file_named(values.text("point"));
  if (!named) throw Error(fmt::format("--point: '{}' is no FILE.json:ID", values.text("point")));
  const auto& [file, id] = *named;
  const Result result = result::load(file);
  const Point& point = questions::find_point(result.points, id);
  const auto own = own_machine(values, file, result, point);
  std::optional<Predicted> measured;
  if (own) measured = questions::predict_measured(point, *own);
  std::vector<Predicted> lines;
  if (measured) lines.push_back(*measured);
  const bool asked = any_given(values, {"dtype", "scale", "reuse", "in", "on", "peak", "bandwidth"});
  if (!asked && !values.is_on("fuse")) return lines;
  for (const Work& plain : changed_work(values, point)) {
    const Work work = with_reuse(values, plain);
    auto machines = machines_of(values, std::span<const Types>(&work.types, 1));
    if (machines.empty() && own) machines.push_back(*own);
    for (const MachineModel& other : machines) {
      lines.push_back(questions::predict(work, other, values.text("in")));
      if (measured) questions::expect(lines.back(), *measured);
    }
  }
  return lines;
}

std::vector<questions::Reach> reaches(const Options& values) {
  const auto operators = named_operators(values);
  if (operators.size() != 1) throw Error("--reach needs exactly one --operator");
  const auto& [spec, params] = operators.front();
  const std::string size = values.text("reach");
  params.at(size);
  auto dtypes = dtypes_of(values, "dtype");
  if (dtypes.empty()) dtypes.push_back(DType::fp32);
  std::vector<questions::Reach> result;
  for (const DType dtype : dtypes) {
    for (const MachineModel& machine : some_machines(values, types_of(*spec, dtype))) {
      result.push_back(questions::reach_of(*spec, params, size, dtype, machine));
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
      .example = "gable predict --operator gemm --params m=16,n=4096,k=4096 --dtype fp16,bf16 --on 'H100 SXM5 80GB'"};
  auto add = usage.options.add_options();
  add("operator", many("NAME"), "an operator; may be repeated");
  add("params", many("m=…,n=…"), "its sizes: one for each operator");
  add("point", one("FILE.json:ID"), "a measured point of a result file, by a part of its id");
  add("flop", many("F"), "work without an operator: operations …");
  add("byte", many("Q"), "… and bytes from main memory; several times to compare");
  add("intensity", many("I"), "flop/byte, instead of one of them");
  add("dtype", many("TYPE,…"), "data types to compare (fp32; the point's own)");
  add("scale", many("m=4"),
      "sizes times factors: a larger batch; of a point that is no operator of gable's flop=2,byte=4");
  add("reuse", one("N"), "each byte of main memory is used N times as often: by cache blocking, fusion");
  add("fuse", po::bool_switch(), "the operators one after another against one fused operator; a point in one launch");
  add("in", one("LEVEL"), "the working set stays in this level: L2");
  add("items", many("N"), "results that the work yields (tokens of a batch): time of one, and their rate");
  add("reach", one("SIZE"), "smallest value of this size that reaches the ridge");
  offer_machines(usage.options);
  add("explain", po::bool_switch(), "print operations by unit and the formulas");
  offer_format(usage.options);
  offer_devices_files(usage.options);
  return usage;
}

}  // namespace

int predict(const Arguments& arguments) {
  const auto values = parse(usage_of_predict(), arguments);
  if (!values) return exit_ok;
  add_devices_files(*values);
  exclude(*values, "operator", {"point", "flop", "byte", "intensity"});
  exclude(*values, "point", {"params", "flop", "byte", "intensity", "reach"});
  exclude(*values, "reuse", {"in"});
  exclude(*values, "reach", {"items", "in", "fuse", "explain"});
  if (values->is_stated("reach")) {
    fmt::print("{}", written(questions::reach_answer(reaches(*values)), *values));
    return exit_ok;
  }
  if (texts(*values, "items").size() > 1) throw Error("--items is given more than once");
  const auto given_items = quantities(*values, "items", "1");
  const auto items = given_items.empty() ? std::nullopt : std::optional(given_items.back());
  if (items && only_intensity(*values)) throw Error("--items needs --flop or --byte beside --intensity");
  const auto lines = values->is_stated("point") ? predicted_of_point(*values) : predicted(*values);
  fmt::print("{}", written(questions::prediction_answer(lines, items, values->is_on("explain")), *values));
  return exit_ok;
}

}  // namespace gable::cli
