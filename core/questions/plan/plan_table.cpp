#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/model/units.hpp"
#include "core/questions/plan/inference_plan.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// "8.03 G"
std::string billions(double parameters) { return fmt::format("{:.3g} G", parameters / 1e9); }

/// What a plan is ranked by: less is better. Nothing where it has no rate.
std::optional<double> rank(const PlanRow& row, bool by_cost) {
  if (by_cost) return million_cost(row.plan, false, row.hour_cost);
  const auto rate = token_per_s(row.plan);
  return rate ? std::optional(number(row.plan.what.devices) / *rate) : std::nullopt;
}

/// Whether its times have those of all-reduces: links that are not known count as endlessly fast, and such a machine
/// would win by that.
bool is_whole(const PlanRow& row) {
  const PhasePlan& decode = row.plan.decode;
  return !(decode.all_reduce_byte > 0) || decode.all_reduce_s.has_value();
}

std::string place_of(const PlanRow& row) { return devices_text(row.plan.what.devices, row.machine.name); }

/// "X is cheapest on 2 of A: 0.42 a million generated tokens, 1.3x less than on one B"
std::string best_of(std::span<const PlanRow> rows) {
  const std::string& model = rows.front().model->name;
  const auto has_rate = [](const PlanRow& row) { return token_per_s(row.plan) && is_whole(row); };
  auto ranked = mapped(rows | std::views::filter(has_rate), [](const PlanRow& row) { return &row; });
  if (std::ranges::all_of(rows, [](const PlanRow& row) { return row.plan.fits == false; }))
    return fmt::format("{} does not fit any of them", model);
  if (ranked.empty()) return fmt::format("{} has no rate that counts all on any of them", model);
  const bool by_cost = std::ranges::all_of(ranked, [](const PlanRow* row) { return row->hour_cost.has_value(); });
  const auto value = [&](const PlanRow* row) { return *rank(*row, by_cost); };
  std::ranges::stable_sort(ranked, {}, value);
  const PlanRow& best = *ranked.front();
  std::string text =
      by_cost
          ? fmt::format("{} is cheapest on {}: {:.4g} a million generated tokens", model, place_of(best), value(&best))
          : fmt::format("{} decodes most a device on {}: {:.4g} token/s each", model, place_of(best), 1 / value(&best));
  if (ranked.size() > 1) {
    const double lead = value(ranked[1]) / value(&best);
    text += lead <= 1 + level_part ? fmt::format(", level with {}", place_of(*ranked[1]))
            : by_cost              ? fmt::format(", {:.2f}x less than on {}", lead, place_of(*ranked[1]))
                                   : fmt::format(", {:.2f}x those of {}", lead, place_of(*ranked[1]));
  }
  return text;
}

/// A sentence, with a part for each model, whose rows follow one another.
std::string conclusion(std::span<const PlanRow> rows) {
  std::string text;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin, rows.end(), [&](const PlanRow& row) { return row.model != begin->model; });
    text += (text.empty() ? "" : "; ") + best_of({begin, end});
    begin = end;
  }
  const bool chosen = std::ranges::any_of(rows, [](const PlanRow& row) { return row.model->experts.has_value(); });
  return text + (chosen ? ", by bounds, with experts in expectation" : ", by bounds");
}

/// What limits the operator that takes longest, or why there is no rate.
std::string limit_of(const PlanRow& row) {
  const InferencePlan& plan = row.plan;
  if (plan.fits == false) return misfit(plan);
  if (!plan.decode.time_s) return "roofs are missing";
  const auto& operators = plan.decode.operators;
  const PlannedOperator& longest = *std::ranges::max_element(operators, {}, &PlannedOperator::all_s);
  return fmt::format("{}: {}", longest.name, bound_name(longest.bound->limit.kind));
}

Answer::Facts facts_of(const PlanRow& row, bool costs) {
  const InferencePlan& plan = row.plan;
  const bool has = plan.fits.value_or(true);
  Answer::Facts facts{{"model", "model", row.model->name},
                      {"device", "on", row.machine.name},
                      {"basis", basis_text(row.machine.basis, row.machine.source)},
                      {"devices", "devices", plan.what.devices},
                      {"devices_needed", plan.devices_needed},
                      {"fits", plan.fits},
                      {"weights", plan.what.weights},
                      {"expert_weights", plan.what.experts},
                      {"table_weights", plan.what.tables},
                      {"", "weights in", weights_text(plan.what)},
                      {"cache", plan.what.cache},
                      {"activations", plan.what.activations},
                      {"weights_byte", "weights", plan.weights_byte, "byte"},
                      {"cache_byte", "cache", plan.cache_byte, "byte"},
                      {"ttft_s", "TTFT", has ? plan.prefill.time_s : std::nullopt, "s"},
                      {"tpot_s", "TPOT", has ? plan.decode.time_s : std::nullopt, "s"},
                      {"token_per_s", "token/s", token_per_s(plan)}};
  if (costs)
    facts.add({{"hour_cost", "a device-hour", row.hour_cost},
               {"cost_per_million_tokens", "a million tokens", million_cost(plan, false, row.hour_cost)},
               {"cost_per_million_prompt_tokens", "of the prompts", million_cost(plan, true, row.hour_cost)}});
  facts.add({{"", "limit", limit_of(row)}, {"notes", plan.notes}});
  return facts;
}

}  // namespace

std::string devices_text(Count devices, const std::string& machine) {
  return devices == 1 ? "one " + machine : fmt::format("{} of {}", devices, machine);
}

std::string misfit(const InferencePlan& plan) {
  if (plan.fits.value_or(true)) return {};
  return plan.devices_needed ? fmt::format("does not fit: needs {}", *plan.devices_needed)
                             : "fits no number of devices: " + plan.why_none;
}

std::optional<double> token_per_s(const InferencePlan& plan) {
  if (!plan.fits.value_or(true) || !plan.decode.time_s) return {};
  return number(plan.what.batch) / *plan.decode.time_s;
}

std::optional<double> million_cost(const InferencePlan& plan, bool prompt, const std::optional<double>& hour_cost) {
  const auto& time_s = prompt ? plan.prefill.time_s : plan.decode.time_s;
  if (!hour_cost || !time_s || !plan.fits.value_or(true)) return {};
  const double tokens = number(plan.what.batch) * (prompt ? number(plan.what.context) : 1);
  constexpr double seconds_of_hour = 3600;
  return *hour_cost * number(plan.what.devices) * *time_s / seconds_of_hour / tokens * 1e6;
}

PlanRow plan_row(const Transformer& model, MachineModel machine, Inference what, std::optional<Count> devices) {
  what.devices = devices.value_or(1);
  InferencePlan plan = plan_inference(model, machine, what);
  if (!devices && plan.devices_needed > what.devices) {
    what.devices = *plan.devices_needed;
    plan = plan_inference(model, machine, what);
  }
  return {&model, std::move(machine), std::move(plan), {}};
}

Answer answer_of(std::span<const PlanRow> rows) {
  Answer answer;
  const Inference& what = rows.front().plan.what;
  answer.title = conclusion(rows);
  const bool costs = std::ranges::any_of(rows, [](const PlanRow& row) { return row.hour_cost.has_value(); });
  answer.add_facts("", "", {{"conclusion", answer.title}, {"batch", what.batch}, {"context", what.context}});
  answer.add_table("plans",
                   fmt::format("batch {}, context {}, cache {}, activations {}: least times", what.batch, what.context,
                               to_string(what.cache), to_string(what.activations)),
                   table_of(rows, [&](const PlanRow& row) { return facts_of(row, costs); }));
  std::vector<std::string> said;
  for (const PlanRow& row : rows) {
    for (const std::string& note : row.plan.notes) {
      std::string text = fmt::format("note: {}: {}", row.machine.name, note);
      if (std::ranges::count(said, text) != 0) continue;
      answer.say(text);
      said.push_back(std::move(text));
    }
  }
  return answer;
}

void say_cost(Answer& answer, const PlanAnswer& asked) {
  if (!asked.hour_cost) return;
  const auto tokens = million_cost(asked.plan, false, asked.hour_cost),
             prompt = million_cost(asked.plan, true, asked.hour_cost);
  std::string text;
  if (asked.decode && tokens) text += fmt::format(" {:.4g} a million generated tokens", *tokens);
  if (asked.prefill && prompt)
    text += fmt::format("{} {:.4g} a million of the prompts", text.empty() ? "" : ",", *prompt);
  answer.say(fmt::format("cost at {:.4g} a device-hour:{}", *asked.hour_cost,
                         text.empty()           ? asked.plan.fits == false ? " none, as it does not fit" : " unknown"
                         : asked.model->experts ? text + ", in expectation"
                                                : text + ", at least"));
}

void add_plan_formulas(Answer& answer) {
  answer.add_facts(
      "", "formulas (docs/plan.md)",
      {{"", "product of n tokens with W weights", "2 n W flop; bytes: W s_w + n (in s_a + out s_r)"},
       {"", "attention of a decoded token", "4 S d flop a query head; bytes: the cache of its sequence"},
       {"", "attention of a prefill of S tokens", "2 S (S + 1) d flop a query head; bytes: queries, cache, results"},
       {"", "experts read by b tokens", "E (1 - (1 - k/E)^b); a token's values come and go once"},
       {"", "all-reduce (ring, t devices)", "2 (t - 1) / t of n x width x s_r, twice a layer, over their links"},
       {"", "all-reduce in switches", "n x width x s_r, twice a layer: each device sends and receives a sum once"},
       {"", "least time of a row", "max(flop / P, bytes / B, T0), + T0 if synchronous; rows add up"},
       {"", "floor", "weights that a step reads / B of reads"},
       {"", "launches", "one a row and time, four of latent products, two of experts, two beside"},
       {"", "roof/measured", "least time / time measured of the same operator, sizes and types"}});
}

Answer models_answer() {
  Answer answer;
  answer.add_table("models", "", table_of(transformers(), [](const Transformer& model) -> Answer::Facts {
                     return {{"name", "model", model.name},
                             {"parameters", "", parameters(model)},
                             {"", "parameters", billions(parameters(model))},
                             {"active_parameters", "", model.experts ? Value(active_parameters(model)) : Value()},
                             {"", "active", model.experts ? Value(billions(active_parameters(model))) : Value()},
                             {"layers", "layers", model.layers},
                             {"width", "width", model.width},
                             {"heads", "heads", model.heads},
                             {"kv_heads", "KV heads", model.latent ? Value("latent") : Value(model.kv_heads)},
                             {"", "weights", weights_text(as_published(model, {}))},
                             {"source", "source", model.source}};
                   }));
  return answer;
}

}  // namespace gable::questions
