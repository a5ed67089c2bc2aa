#include "cli/plan_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/analysis/prediction.hpp"
#include "core/model/units.hpp"
#include "core/text/text_table.hpp"

namespace gable::cli {
namespace {

using analysis::Count;
using analysis::InferencePlan;
using analysis::number;
using analysis::PhasePlan;
using analysis::PlannedOperator;

constexpr int table_width = 170;

std::string percent(double part, double whole) { return fmt::format("{:.1f} %", 100 * part / whole); }

/// Times of the rows that were measured, and of those of them that have a bound.
struct Sum {
  int rows{}, bounded{}, hot{};
  double measured_s{}, bounded_s{}, bound_s{};
};

/// "12.3 us", how much of it the roofs allow, what ran: three cells.
std::vector<std::string> measured_cells(const PlanAnswer& answer, const PlannedOperator& op, Sum& sum) {
  if (!answer.measurement) return {"", "", ""};
  const auto found =
      op.run ? analysis::measured_run(*op.run, answer.measurement->result, answer.measurement->device) : std::nullopt;
  if (!found) return {"", "", op.run ? "not measured" : fmt::format("not measured: {}", op.no_run)};
  const double times = number(op.times);
  ++sum.rows;
  if (!found->cold) ++sum.hot;
  sum.measured_s += found->time_s * times;
  if (op.bound) {
    ++sum.bounded;
    sum.bounded_s += found->time_s * times;
    sum.bound_s += op.bound->time_s * times;
  }
  return {format_quantity(found->time_s * times, "s"),
          op.bound && answer.measurement->own_roofs ? percent(op.bound->time_s, found->time_s) : "",
          fmt::format("{} {}{}", op.run->op, found->implementation, found->cold ? ", cold" : "")};
}

void print_sum(const Sum& sum, std::size_t rows, bool own_roofs) {
  if (sum.rows == 0) {
    fmt::print("none of these operators was measured in these sizes and types\n");
    return;
  }
  fmt::print("measured: {} of {} rows, together {}", sum.rows, rows, format_quantity(sum.measured_s, "s"));
  if (!own_roofs) {
    fmt::print("; no ratio, because the roofs are of another device\n");
    return;
  }
  if (sum.bounded == 0)
    fmt::print("; none of them has a bound, because roofs are missing\n");
  else if (sum.bounded < sum.rows)
    fmt::print("; {} of them have a bound: they take {}, the roofs allow {} ({})\n", sum.bounded,
               format_quantity(sum.bounded_s, "s"), format_quantity(sum.bound_s, "s"),
               percent(sum.bound_s, sum.bounded_s));
  else
    fmt::print("; the roofs allow {} ({})\n", format_quantity(sum.bound_s, "s"), percent(sum.bound_s, sum.bounded_s));
  if (sum.hot > 0) {
    fmt::print("  {} of them with data that caches may keep, where the bound takes them from main memory\n", sum.hot);
  }
}

void print_phase(const PlanAnswer& answer, const char* title, const PhasePlan& phase) {
  TextTable table({{"operator", false, false},
                   {"times", true, false},
                   {"flop", true, false},
                   {"bytes", true, false},
                   {"flop/byte", true, false},
                   {"least time", true, false},
                   {"share", true, false},
                   {"regime", false, true},
                   {"measured", true, false},
                   {"roof/measured", true, false},
                   {"with", false, true}});
  double whole = phase.all_reduce_s.value_or(0);
  for (const auto& op : phase.operators) whole += op.bound ? op.bound->time_s * number(op.times) : 0;
  Sum sum;
  for (const auto& op : phase.operators) {
    const double times = number(op.times), operations = flops(op.stage);
    std::vector<std::string> cells{op.name,
                                   fmt::format("{}", op.times),
                                   operations > 0 ? format_quantity(operations * times, "flop") : "",
                                   format_quantity(bytes(op.stage) * times, "byte"),
                                   operations > 0 ? fmt::format("{:.4g}", operations / bytes(op.stage)) : "",
                                   op.bound ? format_quantity(op.bound->time_s * times, "s") : "",
                                   op.bound ? percent(op.bound->time_s * times, whole) : "",
                                   regime_of(op)};
    for (auto& cell : measured_cells(answer, op, sum)) cells.push_back(std::move(cell));
    table.add(std::move(cells));
  }
  if (phase.all_reduce_byte > 0) {
    table.add({"all-reduce", "", "", format_quantity(phase.all_reduce_byte, "byte"), "",
               phase.all_reduce_s ? format_quantity(*phase.all_reduce_s, "s") : "",
               phase.all_reduce_s ? percent(*phase.all_reduce_s, whole) : "",
               phase.all_reduce_s ? "link-bound" : "no link figure: --link states it", "", "", ""});
  }
  fmt::print("\n{}\n{}", title, table.render(table_width));
  if (answer.measurement) print_sum(sum, phase.operators.size(), answer.measurement->own_roofs);
}

/// "85 token/s"
std::string rate(double tokens, double time_s) {
  const double value = tokens / time_s;
  if (value < 1e3) return fmt::format("{:.3g} token/s", value);
  return value < 1e4 ? fmt::format("{:.0f} token/s", value) : fmt::format("{:.3g} thousand token/s", value / 1e3);
}

/// "without launches (a graph at best): 3 ms; 36 launches of unfused kernels are 36 s"
void print_launches(const PhasePlan& phase) {
  if (!phase.launch_s) return;
  const std::string without =
      phase.work_s ? fmt::format("without launches (a graph, at best): {}; ", format_quantity(*phase.work_s, "s")) : "";
  const bool exceed = phase.work_s && *phase.launch_s > *phase.work_s;
  fmt::print("  {}{} launches of unfused kernels are {}{}\n", without, phase.launches,
             format_quantity(*phase.launch_s, "s"),
             exceed ? ", which exceeds the work: overhead-bound without graphs or fusion" : "");
}

void print_total(const char* what, const PhasePlan& phase, double tokens, std::string_view tokens_name) {
  if (phase.time_s) {
    fmt::print("{}: at least {}, at most {} ({})\n", what, format_quantity(*phase.time_s, "s"),
               rate(tokens, *phase.time_s), tokens_name);
  } else {
    fmt::print("{}: no total, because roofs are missing\n", what);
  }
  print_launches(phase);
}

void print_memory(const PlanAnswer& answer) {
  if (answer.what.context > answer.model->context)
    fmt::print("context {} is beyond the model's {}\n", answer.what.context, answer.model->context);
  const InferencePlan& plan = answer.plan;
  const double need = plan.weights_byte + plan.cache_byte;
  fmt::print("weights {}, cache {} ({} sequences x {} tokens), together {}\n",
             format_quantity(plan.weights_byte, "byte"), format_quantity(plan.cache_byte, "byte"), answer.what.batch,
             answer.what.context, format_quantity(need, "byte"));
  if (!answer.machine.memory_byte) {
    fmt::print("memory of {} is not known: --memory states it\n", answer.machine.name);
    return;
  }
  const Count have = answer.what.devices;
  const std::string memory = fmt::format("{} of {} have {}", have, answer.machine.name,
                                         format_quantity(number(have) * *answer.machine.memory_byte, "byte"));
  if (!plan.devices_needed)
    fmt::print("{}: does not fit on any number of them that divides the {} heads\n", memory, answer.model->heads);
  else if (*plan.devices_needed <= have)
    fmt::print("{}: fits\n", memory);
  else
    fmt::print("{}: does not fit, needs {}, the first number that is enough and divides the {} heads\n", memory,
               *plan.devices_needed, answer.model->heads);
}

std::string needed(const InferencePlan& plan) {
  return plan.devices_needed ? fmt::format("{}", *plan.devices_needed) : "";
}

void print_marks(const PlanAnswer& answer) {
  const auto marks = analysis::batch_marks(*answer.model, answer.machine, answer.what);
  if (!marks) return;
  if (marks->ridge)
    fmt::print("feed-forward products are compute-bound from batch {} on\n", *marks->ridge);
  else
    fmt::print("no batch up to {} makes the feed-forward products compute-bound\n", analysis::most_marked_batch);
  if (marks->takeover) {
    fmt::print(
        "reading the cache takes longer than all products from batch {} on: beyond it a larger batch gains little\n",
        *marks->takeover);
  } else {
    fmt::print("at no batch up to {} does reading the cache take longer than all products\n",
               analysis::most_marked_batch);
  }
}

void print_sweep(const PlanAnswer& answer) {
  if (answer.sweep.empty()) return;
  TextTable table({{"batch", true, false},
                   {"cache", true, false},
                   {"devices needed", true, false},
                   {"step", true, false},
                   {"token/s", true, false},
                   {"limits most", false, true}});
  for (const auto& [batch, plan] : answer.sweep) {
    const PlannedOperator& most = longest(plan.decode);
    table.add({fmt::format("{}", batch), format_quantity(plan.cache_byte, "byte"), needed(plan),
               plan.decode.time_s ? format_quantity(*plan.decode.time_s, "s") : "",
               plan.decode.time_s ? fmt::format("{:.4g}", number(batch) / *plan.decode.time_s) : "",
               fmt::format("{}, {}", most.name, regime_of(most))});
  }
  fmt::print("\ndecode against the batch\n{}", table.render(table_width));
  print_marks(answer);
}

void print_alternatives(const PlanAnswer& answer) {
  if (answer.alternatives.empty()) return;
  TextTable table({{"weights", false, false},
                   {"cache", false, false},
                   {"weights", true, false},
                   {"cache", true, false},
                   {"devices needed", true, false},
                   {"floor", true, false},
                   {"to the cache", true, false},
                   {"flop/byte", true, false},
                   {"step", true, false},
                   {"factor", true, false}});
  const auto& first = answer.alternatives.front().plan.decode;
  for (const auto& [what, plan] : answer.alternatives) {
    const auto& decode = plan.decode;
    const auto& attention = *std::ranges::find(decode.operators, analysis::Part::attention, &PlannedOperator::part);
    table.add({std::string(to_string(what.weights)), std::string(to_string(what.cache)),
               format_quantity(plan.weights_byte, "byte"), format_quantity(plan.cache_byte, "byte"), needed(plan),
               plan.floor_s ? format_quantity(*plan.floor_s, "s") : "",
               attention.bound ? format_quantity(attention.bound->time_s * number(attention.times), "s") : "",
               fmt::format("{:.4g}", flops(attention.stage) / bytes(attention.stage)),
               decode.time_s ? format_quantity(*decode.time_s, "s") : "",
               decode.time_s && first.time_s ? fmt::format("{:.4g}", *first.time_s / *decode.time_s) : ""});
  }
  fmt::print("\na decode step in other types\n{}", table.render(table_width));
}

void print_floor(const PlanAnswer& answer) {
  const auto& plan = answer.plan;
  if (plan.floor_s) {
    const double batch = number(answer.what.batch);
    fmt::print("floor: reading the weights {}takes {} a step: {} a token, {} at most\n",
               plan.experts_read ? "that a step needs " : "once ", format_quantity(*plan.floor_s, "s"),
               format_quantity(*plan.floor_s / batch, "s"), rate(batch, *plan.floor_s));
  }
  if (plan.experts_read) {
    fmt::print("experts: a decode step reads {:.1f} of {} of a layer in expectation\n", *plan.experts_read,
               answer.model->experts->count + answer.model->experts->shared);
  }
  if (answer.model->latent) {
    const auto& latent = *answer.model->latent;
    fmt::print("latent attention: the cache has {} + {} values a token and layer, and every device keeps all of it\n",
               latent.kv, latent.rope);
  }
}

void print_suite(const PlanAnswer& answer) {
  if (answer.suite_file.empty()) return;
  fmt::print("\nsuite {}: {} distinct operators, of one device; gable run --suite {} measures them\n",
             answer.suite_file, answer.suite.cases.size(), answer.suite_file);
  for (const std::string& line : answer.suite.left_out) fmt::print("  not in it: {}\n", line);
}

}  // namespace

std::string regime_of(const analysis::PlannedOperator& op) {
  if (!op.missing.empty()) return fmt::format("no roof for {}", fmt::join(op.missing, ", "));
  if (!op.bound) return "no roof";
  return analysis::verdict(op.bound->limit);
}

const PlannedOperator& longest(const PhasePlan& phase) {
  return *std::ranges::max_element(phase.operators, {}, [](const PlannedOperator& op) {
    return op.bound ? op.bound->time_s * number(op.times) : 0.0;
  });
}

void print_plan(const PlanAnswer& answer) {
  const auto& what = answer.what;
  const auto& plan = answer.plan;
  fmt::print("{} on {} ({})\n", answer.model->name, answer.machine.name,
             basis_text(answer.machine.basis, answer.machine.source));
  fmt::print("weights {}, cache {}, activations {}; batch {}, context {}, {} device{}\n", to_string(what.weights),
             to_string(what.cache), to_string(what.activations), what.batch, what.context, what.devices,
             what.devices == 1 ? "" : "s");
  print_memory(answer);
  if (answer.measurement) fmt::print("measured: {} of {}\n", answer.measurement->device, answer.measurement->file);
  if (answer.prefill) print_phase(answer, "prefill, one device", plan.prefill);
  if (answer.decode) print_phase(answer, "decode, one token of every sequence, one device", plan.decode);
  fmt::print("\n");
  const double batch = number(what.batch);
  if (answer.prefill) print_total("prefill", plan.prefill, batch * number(what.context), "prompt tokens");
  if (answer.decode) {
    print_total("decode", plan.decode, batch, "all sequences together");
    print_floor(answer);
    print_alternatives(answer);
    print_sweep(answer);
  }
  for (const std::string& note : plan.notes) fmt::print("note: {}\n", note);
  print_suite(answer);
}

void print_plan_formulas() {
  fmt::print(
      "\nformulas (docs/plan.md)\n"
      "  product of n tokens with W weights   2 n W flop; bytes: W s_w + n (in + out) s_a\n"
      "  attention of a decoded token         4 S d flop a query head; bytes: the cache of its sequence\n"
      "  attention of a prefill of S tokens   2 S (S + 1) d flop a query head; bytes: queries, cache, results\n"
      "  experts read by b tokens             E (1 - (1 - k/E)^b); a token's values come and go once\n"
      "  all-reduce (ring, t devices)         2 (t - 1) / t of n x width x s_a, twice a layer, over their links\n"
      "  least time of a row                  max(flop / P, bytes / B, T0), + T0 if synchronous; rows add up\n"
      "  floor                                weights that a step reads / B of reads\n"
      "  launches                             one a row and time, four of latent products, two of experts, two beside\n"
      "  roof/measured                        least time / time measured of the same operator, sizes and types\n");
}

}  // namespace gable::cli
