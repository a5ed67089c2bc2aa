#include "core/questions/plan/inference_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "core/model/units.hpp"
#include "core/questions/predict/prediction.hpp"

namespace gable::questions {
namespace {

using Value = Answer::Value;

/// A row of a phase, how it ran, and the time of the whole phase.
struct PhaseRow {
  const PlannedOperator& op;
  const Point* run;
  double times{}, whole_s{};

  Value all(double figure) const { return figure > 0 ? Value(figure * times) : Value(); }
};

/// "memory-bound: DRAM read", or which roofs are missing.
std::string regime_of(const PlannedOperator& op) {
  if (!op.missing.empty()) return fmt::format("no roof for {}", fmt::join(op.missing, ", "));
  return op.bound ? limit_text(op.bound->limit) : "no roof";
}

/// The row of a phase that takes longest, the first where no roof is there.
const PlannedOperator& longest(const PhasePlan& phase) {
  return *std::ranges::max_element(phase.operators, {}, &PlannedOperator::all_s);
}

const PlannedOperator& attention_of(const InferencePlan& plan) {
  return *std::ranges::find(plan.decode.operators, Part::attention, &PlannedOperator::part);
}

std::optional<double> ratio(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional(*a / *b) : std::nullopt;
}

std::vector<PhaseRow> rows_of(const PlanAnswer& answer, const PhasePlan& phase) {
  double whole = phase.all_reduce_s.value_or(0);
  for (const auto& op : phase.operators) whole += op.all_s();
  std::vector<PhaseRow> rows;
  for (const auto& op : phase.operators) {
    const auto& measured = answer.measurement;
    const Point* run = measured && op.run ? measured_run(*op.run, measured->result, measured->device) : nullptr;
    rows.push_back({op, run, number(op.times), whole});
  }
  return rows;
}

/// Of one run; people see all of them.
Answer::Facts facts_of(const PhaseRow& row, const PlanAnswer& answer) {
  const auto& [op, run, times, whole_s] = row;
  const double work = flops(op.stage), moved = bytes(op.stage);
  const auto bound = op.bound ? std::optional(op.bound->time_s) : std::nullopt;
  Answer::Facts facts{{"name", "operator", op.name},
                      {"times", "times", op.times},
                      {"flop", work},
                      {"bytes", moved},
                      {"", "flop", row.all(work), "flop"},
                      {"", "bytes", row.all(moved), "byte"},
                      {"intensity_flop_per_byte", "flop/byte", work > 0 ? Value(work / moved) : Value()},
                      {"time_s", bound},
                      {"", "least time", row.all(bound.value_or(0)), "s"},
                      {"", "share", bound ? Value(*bound * times / whole_s) : Value(), "%"},
                      {"regime", bound ? Value(limit_text(op.bound->limit)) : Value()},
                      {"", "regime", regime_of(op)},
                      {"missing", op.missing.empty() ? Value() : Value(op.missing)}};
  if (op.gemm) facts.add("gemm", {{"m", op.gemm->m}, {"n", op.gemm->n}, {"k", op.gemm->k}});
  if (op.run)
    facts.add("operator", {{"name", op.run->op}, {"params", op.run->params.to_string()}});
  else
    facts.emplace_back("no_operator", op.no_run);
  if (!answer.measurement) return facts;
  const bool ratio = run && bound && answer.measurement->own_roofs;
  facts.add({{"", "measured", row.all(run ? run->time.value : 0), "s"},
             {"measured/roof_over_measured", "roof/measured", ratio ? Value(*bound / run->time.value) : Value(), "%"}});
  if (!run) {
    facts.emplace_back("measured", nullptr);
    facts.emplace_back("", "with", op.run ? "not measured" : fmt::format("not measured: {}", op.no_run));
    return facts;
  }
  facts.emplace_back("", "with", fmt::format("{} {}{}", op.run->op, run->implementation, run->cold ? ", cold" : ""));
  facts.add("measured", {{"time_s", run->time.value}, {"implementation", run->implementation}, {"cold", run->cold}});
  if (run->time.ci_low && run->time.ci_high)
    facts.add("measured", {{"time_interval_s/0", run->time.ci_low}, {"time_interval_s/1", run->time.ci_high}});
  return facts;
}

/// What the rows that were measured took together, and what the roofs allow those of them that have a bound.
std::string sum_line(const std::vector<PhaseRow>& rows, bool own_roofs) {
  int measured = 0, bounded = 0, hot = 0;
  double measured_s = 0, bounded_s = 0, bound_s = 0;
  for (const PhaseRow& row : rows) {
    if (!row.run) continue;
    ++measured;
    if (!row.run->cold) ++hot;
    const double all_s = row.run->time.value * row.times;
    measured_s += all_s;
    if (!row.op.bound) continue;
    ++bounded;
    bounded_s += all_s;
    bound_s += row.op.all_s();
  }
  if (measured == 0) return "none of these operators was measured in these sizes and types";
  std::string text =
      fmt::format("measured: {} of {} rows, together {}", measured, rows.size(), format_quantity(measured_s, "s"));
  if (!own_roofs) return text + "; no ratio, because the roofs are of another device";
  if (bounded == 0) return text + "; none of them has a bound, because roofs are missing";
  if (bounded < measured)
    text += fmt::format("; {} of them have a bound: they take {}", bounded, format_quantity(bounded_s, "s"));
  text += fmt::format("{} the roofs allow {} ({:.1f} %)", bounded < measured ? "," : ";", format_quantity(bound_s, "s"),
                      100 * bound_s / bounded_s);
  if (hot > 0)
    text +=
        fmt::format("; {} of them with data that caches may keep, where the bound takes them from main memory", hot);
  return text;
}

/// "85 token/s"
std::string rate(double tokens, double time_s) {
  const double value = tokens / time_s;
  if (value < 1e3) return fmt::format("{:.3g} token/s", value);
  return value < 1e4 ? fmt::format("{:.0f} token/s", value) : fmt::format("{:.3g} thousand token/s", value / 1e3);
}

/// "140 us by a ring, 80 us by reduction in the switches, which counts"
std::string all_reduce_text(const PhasePlan& phase) {
  if (!phase.all_reduce_s) return "no link figure: --link states it";
  std::string text = format_quantity(*phase.all_reduce_s, "s");
  if (phase.in_switch_s)
    text = fmt::format("{} by a ring, {} by reduction in the switches, the lesser counts",
                       format_quantity(*phase.ring_s, "s"), format_quantity(*phase.in_switch_s, "s"));
  if (phase.time_s) text += fmt::format(" ({:.1f} % of the time)", 100 * *phase.all_reduce_s / *phase.time_s);
  return text + ", link-bound";
}

/// The answer in one sentence.
std::string conclusion(const PlanAnswer& asked) {
  const auto& [model, machine, plan] = std::tie(*asked.model, asked.machine, asked.plan);
  const auto& what = plan.what;
  const std::string begun = fmt::format("{} at batch {} and context {}", model.name, what.batch, what.context);
  const std::string devices = devices_text(what.devices, machine.name);
  if (plan.fits == false) return fmt::format("{} on {} {}", begun, devices, misfit(plan));
  const PhasePlan& phase = asked.decode ? plan.decode : plan.prefill;
  if (!phase.time_s) return fmt::format("{}: no time of {} can be told, because roofs are missing", begun, devices);
  const std::string time = format_quantity(*phase.time_s, "s"), limit = regime_of(longest(phase));
  if (!asked.decode) return fmt::format("{}: {} read the prompts in {} at least, {}", begun, devices, time, limit);
  return fmt::format("{}: {} decode {} {}, a token of each sequence every {}, {}", begun, devices,
                     rate(number(what.batch), *phase.time_s), model.experts ? "in expectation" : "at most", time,
                     limit);
}

/// "without launches (a graph at best): 3 ms; 36 launches of unfused kernels are 36 s"
std::string launches_line(const PhasePlan& phase) {
  if (!phase.launch_s)
    return fmt::format("without its {} launches of unfused kernels: what one costs is not known, --launch states it",
                       phase.launches);
  const std::string without =
      phase.work_s ? fmt::format("without launches (a graph, at best): {}; ", format_quantity(*phase.work_s, "s")) : "";
  const bool exceed = phase.work_s && *phase.launch_s > *phase.work_s;
  return fmt::format("{}{} launches of unfused kernels are {}{}", without, phase.launches,
                     format_quantity(*phase.launch_s, "s"),
                     exceed ? ", which exceeds the work: overhead-bound without graphs or fusion" : "");
}

void add_phase(Answer& answer, const PlanAnswer& plan, bool prefill, const PhasePlan& phase) {
  const double batch = number(plan.what.batch);
  const std::string name = prefill ? "prefill" : "decode";
  const double tokens = prefill ? batch * number(plan.what.context) : batch;
  const auto rows = rows_of(plan, phase);
  answer.add_table(name + "/operators",
                   prefill ? "prefill, one device" : "decode, one token of every sequence, one device",
                   table_of(rows, [&](const PhaseRow& row) { return facts_of(row, plan); }));
  if (phase.all_reduce_byte > 0)
    answer.say(
        fmt::format("all-reduce: {}, {}", format_quantity(phase.all_reduce_byte, "byte"), all_reduce_text(phase)));
  if (plan.measurement) answer.say(sum_line(rows, plan.measurement->own_roofs));
  const bool expected = plan.model->experts && !prefill;  // of a prompt's many tokens every expert is some token's
  if (plan.plan.fits == false)
    answer.say(fmt::format("{}: no rate, as it does not fit", name));
  else if (phase.time_s)
    answer.say(fmt::format("{} ({}): {} {}, {} {} ({})", name, prefill ? "TTFT" : "TPOT",
                           expected ? "in expectation" : "at least", format_quantity(*phase.time_s, "s"),
                           expected ? "so" : "at most", rate(tokens, *phase.time_s),
                           prefill ? "prompt tokens" : "all sequences together"));
  else
    answer.say(fmt::format("{}: no total, because roofs are missing", name));
  answer.say(launches_line(phase));
  answer.add_facts(name, "",
                   {{"launches", phase.launches},
                    {"all_reduce_byte", phase.all_reduce_byte},
                    {"all_reduce_s", phase.all_reduce_s},
                    {"ring_s", phase.ring_s},
                    {"in_switch_s", phase.in_switch_s},
                    {"time_s", phase.time_s},
                    {"without_launches_s", phase.work_s},
                    {"launch_s", phase.launch_s}});
}

std::string memory_line(const PlanAnswer& answer) {
  if (!answer.machine.memory_byte)
    return fmt::format("memory of {} is not known: --memory states it", answer.machine.name);
  const Count have = answer.what.devices, heads = answer.model->heads;
  const auto& needed = answer.plan.devices_needed;
  const double bytes = number(have) * *answer.machine.memory_byte;
  const std::string memory = fmt::format("{} of {} have {} ({:.4g} GiB)", have, answer.machine.name,
                                         format_quantity(bytes, "byte"), bytes / 0x1p30);
  if (!needed) return fmt::format("{}: does not fit: {}", memory, answer.plan.why_none);
  if (*needed <= have) return memory + (*needed < have ? fmt::format(": fits, {} would do", *needed) : ": fits");
  return fmt::format("{}: does not fit, needs {}, the first number that is enough and divides the {} heads", memory,
                     *needed, heads);
}

void add_head(Answer& answer, const PlanAnswer& asked) {
  const auto& [model, machine, plan] = std::tie(*asked.model, asked.machine, asked.plan);
  const Inference& what = plan.what;
  const double cached = cached_values_per_token(model);
  answer.title = fmt::format("{} on {} ({})", model.name, machine.name, basis_text(machine.basis, machine.source));
  Answer::Facts facts{{"model", model.name},
                      {"device", machine.name},
                      {"basis", basis_text(machine.basis, machine.source)},
                      {"batch", what.batch},
                      {"context", what.context},
                      {"model_context", model.context},
                      {"devices", what.devices},
                      {"weights", what.weights},
                      {"expert_weights", what.experts},
                      {"table_weights", what.tables},
                      {"cache", what.cache},
                      {"activations", what.activations},
                      {"residual", what.residual_type()},
                      {"parameters", parameters(model)},
                      {"weights_byte", plan.weights_byte},
                      {"cache_byte", plan.cache_byte},
                      {"cached_values_per_token", cached},
                      {"cached_values_per_token_and_layer", cached / number(model.layers)},
                      {"devices_needed", plan.devices_needed},
                      {"fits", plan.fits},
                      {"floor_s", plan.floor_s},
                      {"floor_token_per_s", plan.floor_s ? Value(number(what.batch) / *plan.floor_s) : Value()},
                      {"experts_read", plan.experts_read},
                      {"most_experts_read", plan.most_experts_read},
                      {"most_decode_s", plan.most_decode_s},
                      {"hour_cost", asked.hour_cost},
                      {"cost_per_million_tokens", million_cost(plan, false, asked.hour_cost)},
                      {"cost_per_million_prompt_tokens", million_cost(plan, true, asked.hour_cost)},
                      {"notes", plan.notes}};
  if (const auto& measured = asked.measurement) {
    facts.emplace_back("measured_file", measured->file);
    facts.emplace_back("measured_device", measured->device);
    facts.emplace_back("roofs_of_measured_device", measured->own_roofs);
  }
  answer.add_facts("", "", std::move(facts));
  answer.say(conclusion(asked));
  answer.say(fmt::format("weights {}, cache {}, activations {}, residual stream {}; batch {}, context {}, {} device{}",
                         weights_text(what), to_string(what.cache), to_string(what.activations),
                         to_string(what.residual_type()), what.batch, what.context, what.devices,
                         what.devices == 1 ? "" : "s"));
  if (what.context > model.context)
    answer.say(fmt::format("context {} is beyond the model's {}", what.context, model.context));
  answer.say(fmt::format("weights {}, cache {} ({} sequences x {} tokens), together {}",
                         format_quantity(plan.weights_byte, "byte"), format_quantity(plan.cache_byte, "byte"),
                         what.batch, what.context, format_quantity(plan.weights_byte + plan.cache_byte, "byte")));
  answer.say(memory_line(asked));
  if (asked.measurement)
    answer.say(fmt::format("measured: {} of {}", asked.measurement->device, asked.measurement->file));
}

void say_floor(Answer& answer, const PlanAnswer& asked) {
  const auto& plan = asked.plan;
  if (plan.floor_s) {
    const double batch = number(asked.what.batch);
    answer.say(fmt::format("floor: reading the weights {}takes {} a step, {} a token: {} with nothing else",
                           plan.experts_read ? "that a step needs " : "once ", format_quantity(*plan.floor_s, "s"),
                           format_quantity(*plan.floor_s / batch, "s"), rate(batch, *plan.floor_s)));
  }
  if (plan.experts_read)
    answer.say(fmt::format(
        "experts: a decode step reads {:.1f} of {} of a layer in expectation, tokens choosing evenly, and {:.4g} at "
        "worst{}; where they choose alike, fewer",
        *plan.experts_read, asked.model->experts->count + asked.model->experts->shared, *plan.most_experts_read,
        plan.most_decode_s ? fmt::format(": {} a step", format_quantity(*plan.most_decode_s, "s")) : ""));
  if (const auto& latent = asked.model->latent)
    answer.say(fmt::format(
        "latent attention: the cache has {} + {} values a token and layer, and every device keeps all of it",
        latent->kv, latent->rope));
}

/// What a faster memory or faster units alone would bring.
void add_what_if(Answer& answer, const PlanAnswer& asked) {
  const auto factors = [&](const InferencePlan& other) {
    return std::pair{ratio(asked.plan.prefill.time_s, other.prefill.time_s),
                     ratio(asked.plan.decode.time_s, other.decode.time_s)};
  };
  for (const auto& [key, name, other] : {std::tuple{"twice_bandwidth", "2x bandwidth", &asked.twice_bandwidth},
                                         std::tuple{"twice_compute", "2x compute", &asked.twice_compute}}) {
    const auto [prefill, decode] = factors(*other);
    answer.add_facts(key, "", {{"prefill_factor", prefill}, {"decode_factor", decode}});
    std::string text;
    if (asked.prefill && prefill) text += fmt::format(" prefill {:.2f}x", *prefill);
    if (asked.decode && decode) text += fmt::format("{} decode {:.2f}x", text.empty() ? "" : ",", *decode);
    if (!text.empty()) answer.say(fmt::format("what if {}:{} as fast", name, text));
  }
}

void add_alternatives(Answer& answer, const PlanAnswer& asked) {
  if (asked.alternatives.empty()) return;
  const InferencePlan& first = asked.alternatives.front();
  const auto bound = [](const PlannedOperator& op) {
    return op.bound ? std::optional(op.bound->time_s) : std::nullopt;
  };
  const auto facts = [&](const InferencePlan& plan) -> Answer::Facts {
    const PlannedOperator& attention = attention_of(plan);
    const auto to_cache = bound(attention);
    return {{"weights", "weights", plan.what.weights},
            {"cache", "cache", plan.what.cache},
            {"weights_byte", "weights", plan.weights_byte, "byte"},
            {"cache_byte", "cache", plan.cache_byte, "byte"},
            {"devices_needed", "devices needed", plan.devices_needed},
            {"floor_s", "floor", plan.floor_s, "s"},
            {"floor_factor", ratio(first.floor_s, plan.floor_s)},
            {"", "to the cache", to_cache ? Value(*to_cache * number(attention.times)) : Value(), "s"},
            {"attention_flop_per_byte", "flop/byte", flops(attention.stage) / bytes(attention.stage)},
            {"attention_factor", ratio(bound(attention_of(first)), to_cache)},
            {"decode_s", "step", plan.decode.time_s, "s"},
            {"decode_factor", "factor", ratio(first.decode.time_s, plan.decode.time_s)}};
  };
  answer.add_table("alternatives", "a decode step in other types", table_of(asked.alternatives, facts));
}

void add_marks(Answer& answer, const PlanAnswer& asked) {
  const auto marks = batch_marks(*asked.model, asked.machine, asked.what);
  if (!marks) return;
  answer.add_facts(
      "", "",
      {{"compute_bound_from_batch", or_null(marks->ridge)}, {"cache_bound_from_batch", or_null(marks->takeover)}});
  if (asked.sweep.empty()) return;
  answer.say(marks->ridge
                 ? fmt::format("feed-forward products are compute-bound from batch {} on", *marks->ridge)
                 : fmt::format("no batch up to {} makes the feed-forward products compute-bound", most_marked_batch));
  answer.say(marks->takeover
                 ? fmt::format("reading the cache takes longer than all products from batch {} on: beyond it a larger "
                               "batch gains little",
                               *marks->takeover)
                 : fmt::format("at no batch up to {} does reading the cache take longer than all products",
                               most_marked_batch));
}

void add_sweep(Answer& answer, const PlanAnswer& asked) {
  if (asked.sweep.empty()) return;
  const auto facts = [](const InferencePlan& plan) -> Answer::Facts {
    return {{"batch", "batch", plan.what.batch},
            {"cache_byte", "cache", plan.cache_byte, "byte"},
            {"devices_needed", "devices needed", plan.devices_needed},
            {"fits", plan.fits},
            {"decode_s", "step", plan.decode.time_s, "s"},
            {"token_per_s", "token/s", token_per_s(plan)},
            {"", "without a rate", named(misfit(plan))},
            {"longest", "longest", longest(plan.decode).name},
            {"regime", "its regime", regime_of(longest(plan.decode))}};
  };
  answer.add_table("sweep", "decode against the batch", table_of(asked.sweep, facts));
}

}  // namespace

Answer answer_of(const PlanAnswer& asked) {
  Answer answer;
  add_head(answer, asked);
  if (asked.prefill) add_phase(answer, asked, true, asked.plan.prefill);
  if (asked.decode) {
    add_phase(answer, asked, false, asked.plan.decode);
    say_floor(answer, asked);
    add_alternatives(answer, asked);
    add_sweep(answer, asked);
    add_marks(answer, asked);
  }
  add_what_if(answer, asked);
  answer.add_notes("", {});
  say_cost(answer, asked);
  for (const std::string& note : asked.plan.notes) answer.say("note: " + note);
  if (!asked.suite_file.empty()) {
    const auto& [cases, left_out] = asked.suite;
    answer.add_facts("suite", "suite " + asked.suite_file,
                     {{"file", asked.suite_file}, {"operators", cases.size()}, {"left_out", "not in it", left_out}});
    answer.say(fmt::format("{} distinct operators, of one device; gable run --suite {} measures them", cases.size(),
                           asked.suite_file));
  }
  if (asked.formulas) add_plan_formulas(answer);
  return answer;
}

}  // namespace gable::questions
