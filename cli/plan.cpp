#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/analysis/inference_plan.hpp"
#include "core/analysis/prediction.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/report/text_table.hpp"

namespace gable::cli {
namespace {

using analysis::Count;
using analysis::InferencePlan;
using analysis::PhasePlan;
using nlohmann::ordered_json;

constexpr int table_width = 160;

struct Question {
  const analysis::Transformer* model;
  analysis::Machine machine;
  analysis::Inference what;
};

Question read_question(const po::variables_map& values) {
  if (values.count("model") == 0) throw Error("plan needs a model; gable plan --list names them");
  if (values.count("on") == 0) throw Error("plan needs --on DEVICE or --on RESULT.json");
  Question question{&analysis::find_transformer(values["model"].as<std::string>()),
                    machine_named(values["on"].as<std::string>()),
                    {}};
  const auto count_of = [&](const std::string& option) {
    return positive_number<Count>(option, values[option].as<std::string>());
  };
  const auto type_of = [&](const std::string& option) { return dtype_of(option, values[option].as<std::string>()); };
  auto& what = question.what;
  what.batch = count_of("batch");
  what.context = count_of("context");
  what.devices = count_of("devices");
  what.weights = type_of("weights");
  what.cache = type_of("cache");
  what.activations = type_of("activations");
  return question;
}

std::string regime_of(const analysis::PlannedOperator& op) {
  if (!op.missing.empty()) return fmt::format("no roof for {}", fmt::join(op.missing, ", "));
  if (!op.bound) return "no roof";
  return analysis::verdict(op.bound->limit);
}

void print_phase(const char* title, const PhasePlan& phase) {
  report::TextTable table({{"operator", false, false},
                           {"layers", true, false},
                           {"flop", true, false},
                           {"bytes", true, false},
                           {"flop/byte", true, false},
                           {"least time", true, false},
                           {"share", true, false},
                           {"regime", false, true}});
  double sum = phase.all_reduce_s.value_or(0);
  for (const auto& op : phase.operators) sum += op.bound ? op.bound->work_s * static_cast<double>(op.times) : 0;
  for (const auto& op : phase.operators) {
    const double times = static_cast<double>(op.times), time = op.bound ? op.bound->work_s * times : 0;
    const double operations = flops(op.stage);
    table.add({op.name, fmt::format("{}", op.times), operations > 0 ? format_quantity(operations * times, "flop") : "",
               format_quantity(bytes(op.stage) * times, "byte"),
               operations > 0 ? fmt::format("{:.4g}", operations / bytes(op.stage)) : "",
               op.bound ? format_quantity(time, "s") : "", op.bound ? fmt::format("{:.1f} %", 100 * time / sum) : "",
               regime_of(op)});
  }
  if (phase.all_reduce_byte > 0) {
    table.add({"all-reduce", "", "", format_quantity(phase.all_reduce_byte, "byte"), "",
               phase.all_reduce_s ? format_quantity(*phase.all_reduce_s, "s") : "",
               phase.all_reduce_s ? fmt::format("{:.1f} %", 100 * *phase.all_reduce_s / sum) : "",
               phase.all_reduce_s ? "link-bound" : "no link figure"});
  }
  fmt::print("\n{}\n{}", title, table.render(table_width));
}

/// "85 token/s"
std::string rate(double tokens, double time_s) {
  const double value = tokens / time_s;
  return value < 1e4 ? fmt::format("{:.3g} token/s", value) : fmt::format("{:.3g} thousand token/s", value / 1e3);
}

void print_total(const char* what, const PhasePlan& phase, double tokens, std::string_view tokens_name) {
  if (!phase.time_s) {
    fmt::print("{}: no total, because roofs are missing\n", what);
    return;
  }
  fmt::print("{}: at least {}, at most {} ({})\n", what, format_quantity(*phase.time_s, "s"),
             rate(tokens, *phase.time_s), tokens_name);
  if (phase.launch_s) {
    fmt::print(
        "  launches: {} unfused kernels x the measured cost are {}{}\n", phase.launches,
        format_quantity(*phase.launch_s, "s"),
        *phase.launch_s > *phase.time_s ? ", which exceeds the work: overhead-bound without graphs or fusion" : "");
  }
}

void print_memory(const Question& question, const InferencePlan& plan) {
  const double need = plan.weights_byte + plan.cache_byte;
  fmt::print("weights {}, cache {} ({} sequences x {} tokens), together {}\n",
             format_quantity(plan.weights_byte, "byte"), format_quantity(plan.cache_byte, "byte"), question.what.batch,
             question.what.context, format_quantity(need, "byte"));
  if (!plan.devices_needed) return;
  const Count have = question.what.devices;
  fmt::print("{} of {} have {}: {}\n", have, question.machine.name,
             format_quantity(static_cast<double>(have) * *question.machine.memory_byte, "byte"),
             *plan.devices_needed <= have ? "fits" : fmt::format("does not fit, needs {}", *plan.devices_needed));
}

void print_sweep(const Question& question) {
  report::TextTable table({{"batch", true, false},
                           {"cache", true, false},
                           {"devices needed", true, false},
                           {"step", true, false},
                           {"token/s", true, false},
                           {"limits most", false, true}});
  for (Count batch = 1; batch <= 1024; batch *= 2) {
    auto what = question.what;
    what.batch = batch;
    const auto plan = analysis::plan_inference(*question.model, question.machine, what);
    const auto most = std::ranges::max_element(plan.decode.operators, {}, [](const auto& op) {
      return op.bound ? op.bound->work_s * static_cast<double>(op.times) : 0.0;
    });
    table.add({fmt::format("{}", batch), format_quantity(plan.cache_byte, "byte"),
               plan.devices_needed ? fmt::format("{}", *plan.devices_needed) : "",
               plan.decode.time_s ? format_quantity(*plan.decode.time_s, "s") : "",
               plan.decode.time_s ? fmt::format("{:.4g}", static_cast<double>(batch) / *plan.decode.time_s) : "",
               fmt::format("{}, {}", most->name, regime_of(*most))});
  }
  fmt::print("\ndecode against the batch\n{}", table.render(table_width));
  const auto marks = analysis::batch_marks(*question.model, question.machine, question.what);
  if (marks.ridge) fmt::print("feed-forward products are compute-bound from batch {} on\n", *marks.ridge);
  if (marks.takeover) {
    fmt::print(
        "reading the cache takes longer than all products from batch {} on: beyond it a larger batch gains little\n",
        *marks.takeover);
  }
}

void print_text(const Question& question, const InferencePlan& plan, bool sweep) {
  const auto& what = question.what;
  fmt::print("{} on {} ({})\n", question.model->name, question.machine.name, question.machine.basis);
  fmt::print("weights {}, cache {}, activations {}; batch {}, context {}, {} device{}\n", to_string(what.weights),
             to_string(what.cache), to_string(what.activations), what.batch, what.context, what.devices,
             what.devices == 1 ? "" : "s");
  print_memory(question, plan);
  print_phase("prefill, one device", plan.prefill);
  print_phase("decode, one token of every sequence, one device", plan.decode);
  fmt::print("\n");
  const auto batch = static_cast<double>(what.batch);
  print_total("prefill", plan.prefill, batch * static_cast<double>(what.context), "prompt tokens");
  print_total("decode", plan.decode, batch, "all sequences together");
  if (plan.floor_s) fmt::print("floor: reading the weights once takes {}\n", format_quantity(*plan.floor_s, "s"));
  if (plan.experts_read) {
    fmt::print("experts: a decode step reads {:.1f} of {} of a layer in expectation\n", *plan.experts_read,
               question.model->experts->count + question.model->experts->shared);
  }
  if (sweep) print_sweep(question);
}

void print_formulas() {
  fmt::print(
      "\nformulas (docs/plan.md)\n"
      "  product of n tokens with W weights   2 n W flop; bytes: W s_w + n (in + out) s_a\n"
      "  attention of a decoded token         4 S d flop a query head; bytes: the cache of its sequence\n"
      "  attention of a prefill of S tokens   2 S (S + 1) d flop a query head; bytes: queries, cache, results\n"
      "  experts read by b tokens             E (1 - (1 - k/E)^b)\n"
      "  all-reduce (ring, t devices)         2 (t - 1) / t of n x width x s_a, twice a layer\n"
      "  least time of a row                  max(flop / P, bytes / B); rows add up\n");
}

ordered_json phase_json(const PhasePlan& phase) {
  ordered_json json;
  auto list = ordered_json::array();
  for (const auto& op : phase.operators) {
    ordered_json row{{"name", op.name},
                     {"times", op.times},
                     {"flop", flops(op.stage)},
                     {"bytes", bytes(op.stage)},
                     {"regime", regime_of(op)}};
    if (op.bound) row["time_s"] = op.bound->work_s;
    if (op.m) row["gemm"] = {{"m", *op.m}, {"n", *op.n}, {"k", *op.k}};
    list.push_back(row);
  }
  json["operators"] = list;
  json["launches"] = phase.launches;
  json["all_reduce_byte"] = phase.all_reduce_byte;
  if (phase.all_reduce_s) json["all_reduce_s"] = *phase.all_reduce_s;
  if (phase.time_s) json["time_s"] = *phase.time_s;
  if (phase.launch_s) json["launch_s"] = *phase.launch_s;
  return json;
}

void print_json(const Question& question, const InferencePlan& plan) {
  const auto& what = question.what;
  ordered_json json{{"model", question.model->name},
                    {"device", question.machine.name},
                    {"basis", question.machine.basis},
                    {"batch", what.batch},
                    {"context", what.context},
                    {"devices", what.devices},
                    {"weights", to_string(what.weights)},
                    {"cache", to_string(what.cache)},
                    {"activations", to_string(what.activations)},
                    {"weights_byte", plan.weights_byte},
                    {"cache_byte", plan.cache_byte}};
  if (plan.devices_needed) json["devices_needed"] = *plan.devices_needed;
  if (plan.floor_s) json["floor_s"] = *plan.floor_s;
  if (plan.experts_read) json["experts_read"] = *plan.experts_read;
  json["prefill"] = phase_json(plan.prefill);
  json["decode"] = phase_json(plan.decode);
  const auto marks = analysis::batch_marks(*question.model, question.machine, what);
  if (marks.ridge) json["compute_bound_from_batch"] = *marks.ridge;
  if (marks.takeover) json["cache_bound_from_batch"] = *marks.takeover;
  fmt::print("{}\n", json.dump(2));
}

void print_models() {
  report::TextTable table({{"model", false, false},
                           {"parameters", true, false},
                           {"active", true, false},
                           {"layers", true, false},
                           {"width", true, false},
                           {"heads", true, false},
                           {"KV heads", true, false},
                           {"source", false, true}});
  for (const auto& model : analysis::transformers()) {
    table.add({model.name, fmt::format("{:.4g} G", analysis::parameters(model) / 1e9),
               model.experts ? fmt::format("{:.3g} G", analysis::active_parameters(model) / 1e9) : "",
               fmt::format("{}", model.layers), fmt::format("{}", model.width), fmt::format("{}", model.heads),
               model.latent ? "latent" : fmt::format("{}", model.kv_heads), model.source});
  }
  fmt::print("{}", table.render(table_width));
}

}  // namespace

int plan(const Arguments& arguments) {
  Usage usage{.synopsis = "plan MODEL --on DEVICE|RESULT.json [options]",
              .summary = "What a transformer's prefill and decode cost at least, from a roofline; needs no device.",
              .example = "gable plan Llama-3-70B --on 'H100 SXM5 80GB' --devices 2 --batch 16 --context 4096",
              .options = po::options_description("options")};
  const auto text = [](const char* value) { return po::value<std::string>()->default_value(value); };
  auto add = usage.options.add_options();
  add("on", po::value<std::string>()->value_name("NAME"),
      "a device of the catalogue, or a result file (FILE.json:DEVICE)");
  add("batch", text("1")->value_name("N"), "sequences side by side");
  add("context", text("4096")->value_name("N"), "tokens of each sequence");
  add("devices", text("1")->value_name("N"), "devices that share every layer (tensor parallel)");
  add("weights", text("bf16")->value_name("TYPE"), "type of the weights");
  add("cache", text("bf16")->value_name("TYPE"), "type of cached keys and values");
  add("activations", text("bf16")->value_name("TYPE"), "type of everything else");
  add("sweep", po::bool_switch(), "decode for batches 1 to 1024, too");
  add("explain", po::bool_switch(), "print the formulas");
  add("json", po::bool_switch(), "as JSON");
  add("list", po::bool_switch(), "print the models and stop");
  add("model", po::value<std::string>()->value_name("NAME"), "the model, instead of the first word");
  usage.positional.add("model", 1);
  const auto values = parse(usage, arguments);
  if (!values) return exit_ok;
  if ((*values)["list"].as<bool>()) {
    print_models();
    return exit_ok;
  }
  const Question question = read_question(*values);
  const InferencePlan plan = analysis::plan_inference(*question.model, question.machine, question.what);
  if ((*values)["json"].as<bool>()) {
    print_json(question, plan);
    return exit_ok;
  }
  print_text(question, plan, (*values)["sweep"].as<bool>());
  if ((*values)["explain"].as<bool>()) print_formulas();
  return exit_ok;
}

}  // namespace gable::cli
