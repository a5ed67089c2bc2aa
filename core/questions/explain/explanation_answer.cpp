#include "core/questions/explain/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/model/point.hpp"
#include "core/model/units.hpp"

namespace gable::questions {
namespace {

std::string percent(double fraction) { return fmt::format("{:.3g} %", 100 * fraction); }
std::string times(double factor) { return fmt::format("{:.3g}x", factor); }

std::string regime_words(const Explanation& answer) {
  switch (*answer.point.regime) {
    case Regime::compute_bound:
      return "It is compute-bound: the arithmetic takes longer than moving the data, so the arithmetic decides.";
    case Regime::memory_bound:
      return "It is memory-bound: moving the data takes longer than the arithmetic, so the memory decides.";
    case Regime::overhead_bound:
      return "It is overhead-bound: the fixed cost of starting it takes longer than its work.";
    case Regime::link_bound:
      return "It is link-bound: the transfer over the link takes longest, so the link decides.";
    case Regime::below_roof:
      break;
  }
  return fmt::format(
      "It is below every roof. The roofs explain {} of its time, so it is neither memory- nor compute-bound, whatever "
      "its intensity: something that is no roof holds it back. The usual causes are listed below.",
      percent(*answer.point.fraction_of_limit));
}

}  // namespace

std::string limit_words(const Explanation& answer) {
  const bool below = answer.point.regime == Regime::below_roof;
  const std::string where = answer.point.compared_rounds > 0 ? " over the whole run" : " here";
  const std::string value =
      answer.limit_value ? ", " + format_quantity(*answer.limit_value, answer.limit_value_unit) + where : "";
  return fmt::format("{} {} the roof {}{}.", regime_words(answer), below ? "The nearest to it is" : "Its limit is",
                     answer.point.limit, value);
}

std::string distance_words(const Explanation& answer) {
  const Lever* stores = best_lever(answer, [](const Lever& one) { return one.other_stores; });
  const std::string kept = stores ? " with ordinary stores" : "";
  const std::string time = format_quantity(answer.point.time.value, "s"),
                    bound = format_quantity(*answer.point.bound_s, "s");
  if (answer.point.compared_rounds > 0) {
    return fmt::format(
        "One run takes {}. Main memory changed its speed during the run, so it was compared with the roofs as they "
        "were in {} moments: it ran at {} of its bound ({} to {} is the 95 % interval of these moments).{}",
        time, answer.point.compared_rounds, percent(*answer.point.fraction_of_limit),
        percent(*answer.point.fraction_low), percent(*answer.point.fraction_high),
        answer.point.fraction_of_limit > 1
            ? " Treat it as running at its roof."
            : fmt::format(" In the same moments even a perfect kernel{} would be no more than {} faster.", kept,
                          times(1 / *answer.point.fraction_of_limit)));
  }
  if (answer.point.fraction_of_limit > 1) {
    const std::string text = fmt::format(
        "One run takes {}. By the measured roofs it would take at least {} (its bound), so it runs at {} of its "
        "bound.",
        time, bound, percent(*answer.point.fraction_of_limit));
    if (answer.invalid) return fmt::format("{} But {}. Do not use it.", text, invalid_words);
    if (standing(answer.point) == Standing::above_roof) {
      return text + fmt::format(
                        " The uncertainty of its time and of the roof {} does not explain that. Either the roof was "
                        "measured too low, for instance because other work ran on the machine, or part of the data "
                        "stayed in a cache that the model does not count on. Measure both again.",
                        answer.point.limit);
    }
    return text + " That is within the uncertainty of its time and of the roof: treat it as running at its roof.";
  }
  std::string text = fmt::format(
      "One run takes {}. By the measured roofs no program with the same flops and bytes{} takes less than {} on this "
      "machine (its bound): ",
      time, stores ? " and with ordinary stores" : "", bound);
  text += fmt::format("it runs at {} of its bound", percent(*answer.point.fraction_of_limit));
  if (answer.point.fraction_low && answer.point.fraction_high)
    text += fmt::format(" ({} to {} within the 95 % interval of its time)", percent(*answer.point.fraction_low),
                        percent(*answer.point.fraction_high));
  text += fmt::format(". Even a perfect kernel{} would be no more than {} faster", kept,
                      times(1 / *answer.point.fraction_of_limit));
  if (stores)
    text += fmt::format("; with non-temporal stores it takes at least {}",
                        format_quantity(*answer.point.bound_s / *stores->factor, "s"));
  return text + '.';
}

std::string trust_words(const Explanation& answer) {
  const auto& imported = answer.point.imported;
  const std::string of_calls = imported && imported->shortest_s && imported->longest_s
                                   ? fmt::format(" of {} to {}", format_quantity(*imported->shortest_s, "s"),
                                                 format_quantity(*imported->longest_s, "s"))
                                   : "";
  std::string text = "It has no interval: fewer than six blocks were measured.";
  if (const auto& half = answer.half_interval_percent)
    text = fmt::format("The 95 % interval of its time is ±{:.2g} %.", *half);
  else if (imported && answer.point.count)
    text = fmt::format("Its time is the mean of {:g} calls{}, without an interval.", *answer.point.count, of_calls);
  if (imported && !imported->stated.empty())
    text += fmt::format(" Not counted, none by --dtype of the import: {}.", fmt::join(imported->stated, ", "));
  if (answer.point.compared_rounds > 0)
    text += " It holds what main memory changed; the interval of the moments is that of its share.";
  else if (answer.half_interval_percent.value_or(0) > 5)
    text += " That is wide: repeat it before relying on small differences.";
  if (answer.disturbed)
    text += " More than half of its blocks were disturbed, or so many were slow that its value is the most common one.";
  if (answer.point.status == Status::ok && !answer.point.reason.empty())
    text += " Of its roofs: " + answer.point.reason + ".";
  return text;
}

namespace {
using Value = Answer::Value;

/// "operator, implementation, fp32, sizes"
std::string what_of(const Point& point) {
  std::string text = fmt::format("{} ({}), {}", point.op, point.implementation, to_string(point.types.a));
  if (!point.params.empty()) text += ", " + point.params;
  const std::string manner = manner_of(point);
  return manner.empty() ? text : text + ", " + manner;
}

/// The side of the ridge is advice only where one of its two roofs is the limit.
std::string ridge_advice(const Explanation& answer, bool left) {
  const Regime regime = *answer.point.regime;
  if (regime == Regime::memory_bound && left)
    return "by the roofs, faster arithmetic would gain nothing; moving fewer bytes, or faster memory, would.";
  if (regime == Regime::compute_bound && !left && answer.ridge->decides)
    return "by the roofs, faster memory would gain nothing; faster arithmetic, or narrower types, would.";
  if (regime == Regime::overhead_bound)
    return "but neither decides: the fixed cost of its launches does. Use fewer launches, or do more work in each.";
  if (regime == Regime::below_roof) return "but neither decides: something that is no roof holds it back.";
  return fmt::format("but neither decides: the roof {} does. Less work under it, or a faster one, would help.",
                     answer.point.limit);
}

std::string ridge_words(const Explanation& answer) {
  if (!answer.ridge)
    return "There is no ridge: these files have no roof of its unit or its memory, or it moves no bytes.";
  const auto& ridge = *answer.ridge;
  const bool left = ridge.flop_per_byte < ridge.ridge_flop_per_byte;
  const double distance =
      left ? ridge.ridge_flop_per_byte / ridge.flop_per_byte : ridge.flop_per_byte / ridge.ridge_flop_per_byte;
  return fmt::format(
      "It does {:.3g} operations for each byte that {} must move (its intensity). The ridge, where {} ({}) and {} ({}) "
      "would both be busy, is at {:.3g} {}/byte. It is {} of the ridge by {}: {}",
      ridge.flop_per_byte, ridge.level, ridge.peak, format_quantity(ridge.flop_per_s, ridge.operation + "/s"),
      ridge.level, format_quantity(ridge.byte_per_s, "byte/s"), ridge.ridge_flop_per_byte, ridge.operation,
      left ? "left" : "right", times(distance), ridge_advice(answer, left));
}

/// Only of one that has a datasheet. `catalogue_entry`: empty where no product is known.
std::string datasheet_words(const Explanation& answer, const std::string& catalogue_entry) {
  return fmt::format(
      "It reaches {1} of what the vendor's figures{0} allow ({2}). Measured roofs are what programs can reach; a "
      "datasheet says what the chip was built for, a processor's at the highest clock documented for so many cores.",
      catalogue_entry.empty() ? "" : " (" + catalogue_entry + ")", percent(answer.datasheet->fraction),
      answer.datasheet->limit);
}

std::string of_bound(const Point& point) {
  return standing(point) == Standing::under_roof ? percent(*point.fraction_of_limit) : share_of_bound(point);
}

/// "1.43x (1.4x to 1.46x) lower precision: fp16 instead of fp32", with its interval where it was measured.
std::string gain_of(const Lever& lever) {
  std::string text = times(*lever.factor);
  if (lever.factor_low && lever.factor_high)
    text += fmt::format(" ({} to {})", times(*lever.factor_low), times(*lever.factor_high));
  return fmt::format("{} {}{}{}", text, lever.name, lever.change.empty() ? "" : ": ", lever.change);
}

std::string first_lever(const Explanation& answer) {
  const Lever* best = best_lever(answer);
  return best ? fmt::format("{} {}", times(*best->factor), best->name) : "";
}

Answer::Facts facts_of(const Lever& lever) {
  return {{"name", lever.name},
          {"change", lever.change},
          {"factor", lever.factor},
          {"factor_low", lever.factor_low},
          {"factor_high", lever.factor_high},
          {"measured", named(lever.measured)},
          {lever.factor ? "assumption" : "not_judged", lever.assumption}};
}

Answer::Facts facts_of_point(const Explanation& answer) {
  const Point& point = answer.point;
  Answer::Facts facts{
      {"id", "point", point.id},
      {"operator", point.op},
      {"implementation", point.implementation},
      {"dtype", point.types.a},
      {"params", point.params},
      {"time_s", "time", point.time.value, "s"},
      {"bound_s", point.bound_s},
      {"work_s", *point.bound_s - *point.overhead_s},
      {"overhead_s", point.overhead_s},
      {"lost_s", "lost", std::max(0.0, lost_s(point)), "s"},
      {"fraction_of_bound", point.fraction_of_limit},
      {"", "of bound", of_bound(point)},
      {"datasheet/fraction_of_bound", "of datasheet", {}, "%"},
      {"regime", "regime", *point.regime},
      {"limit", "limit", point.limit},
      {"", "best lever", first_lever(answer)},
      {"disturbed", answer.disturbed},
      {"invalid", answer.invalid},
      {"fraction_of_bound_low", point.fraction_low},
      {"fraction_of_bound_high", point.fraction_high},
      {"compared_rounds", point.compared_rounds > 0 ? Answer::Value(point.compared_rounds) : Answer::Value()},
      {"half_interval_percent", answer.half_interval_percent}};
  if (const auto& imported = point.imported)
    facts.add({{"shortest_call_s", imported->shortest_s}, {"longest_call_s", imported->longest_s}});
  if (answer.limit_value) facts.add("limit_value", {{"value", answer.limit_value}, {"unit", answer.limit_value_unit}});
  if (const auto& ridge = answer.ridge)
    facts.add("ridge", {{"level", ridge->level},
                        {"intensity_flop_per_byte", ridge->flop_per_byte},
                        {"ridge_flop_per_byte", ridge->ridge_flop_per_byte},
                        {"peak", ridge->peak},
                        {"peak_flop_per_s", ridge->flop_per_s},
                        {"bandwidth_byte_per_s", ridge->byte_per_s}});
  if (const auto& sheet = answer.datasheet)
    facts.add("datasheet", {{"bound_s", sheet->time_s},
                            {"fraction_of_bound", "of datasheet", sheet->fraction, "%"},
                            {"limit", sheet->limit}});
  if (!answer.causes.empty())
    facts.emplace_back("causes", table_of(answer.causes, [](const Cause& cause) -> Answer::Facts {
                         return {{"cause", cause.text}, {"seen", cause.seen}};
                       }));
  facts.emplace_back("levers", table_of(answer.levers, facts_of));
  return facts;
}

/// Every level by its triad, the innermost first; where there is none, by any mix.
std::string level_words(const MachineModel& machine) {
  std::vector<std::string> levels;
  for (const Level& level : machine.roofline.levels()) {
    if (const auto rate = machine.roofline.byte_per_s(level.name))
      levels.push_back(fmt::format("{} {}", level.name, format_quantity(*rate, "byte/s")));
  }
  if (levels.empty()) return "No bandwidth is in these files.";
  std::string text =
      fmt::format("Bandwidths: {}, for two bytes read and one written (triad).", fmt::join(levels, ", "));
  if (const auto& launch = machine.roofline.overhead())
    text += fmt::format(" Starting a kernel costs {}.", format_quantity(launch->seconds, "s"));
  return text;
}

/// A network's links as roofs, and its collectives under them.
void add_network(Answer& answer, const MachineExplained& summary) {
  auto& links =
      answer.add_table("links", "What messages between two ranks can do at most (its links)",
                       table_of(summary.messages, [](const MessageRoofline& one) -> Answer::Facts {
                         return {{"way", "way", one.way},
                                 {"medium", std::string(to_string(one.medium))},
                                 {"", "memory", std::string(medium_words(one.medium))},
                                 {"latency_s", "latency", one.latency_s, "s"},
                                 {"peak_byte_per_s", "peak, one direction", one.peak_byte_per_s, "byte/s"},
                                 {"bytes_under_way", "under way for the peak", one.bytes_under_way(), "byte"}};
                       }));
  links.notes = {
      "n messages of s bytes before a wait reach at most n x s / latency, up to the peak. Where n x s is less than "
      "what must be under way, the latency is the limit."};
  auto& collectives = answer.add_table("collectives", "Collectives under these roofs",
                                       table_of(summary.collectives, [](const JudgedCollective& one) -> Answer::Facts {
                                         return {{"collective", "collective", one.name},
                                                 {"variant", "variant", one.variant},
                                                 {"bus_byte_per_s", "bus bandwidth", one.bus_byte_per_s, "byte/s"},
                                                 {"way", "link", one.way},
                                                 {"medium", std::string(to_string(one.medium))},
                                                 {"", "memory", std::string(medium_words(one.medium))},
                                                 {"of_peak", one.fraction},
                                                 {"", "of its peak", percent(one.fraction)}};
                                       }));
  collectives.notes = {
      "Bus bandwidth is what each link carries in one direction. The algorithm bandwidth (size / time) compares with "
      "no link."};
}

void add_machine(Answer& answer, const MachineExplained& summary, Answer::Readers readers, bool terse) {
  answer
      .add_facts("", "",
                 {{"device", "device", summary.title}, {"catalogue_entry", "catalogue entry", summary.catalogue_entry}})
      .readers = readers;
  if (!summary.messages.empty()) return add_network(answer, summary);
  auto& ridges =
      answer.add_table("ridges", "What it can do at most (its roofs)",
                       table_of(gable::ridges(summary.machine), [](const Ridge& one) -> Answer::Facts {
                         const ComputeRoof& roof = one.roof;
                         return {{"roof", "roof", roof.label},
                                 {"execution_unit", roof.unit},
                                 {"dtype", roof.dtype},
                                 {"peak_flop_per_s", roof.flop_per_s},
                                 {"", "at most", format_quantity(roof.flop_per_s, rate_unit(roof.unit, roof.dtype))},
                                 {"ridge_flop_per_byte", "ridge, flop/byte", one.flop_per_byte}};
                       }));
  ridges.readers = readers;
  ridges.notes = {summary.no_ceilings.empty() ? level_words(summary.machine) : summary.no_ceilings};
  if (!terse && !summary.machine.roofline.compute().empty())
    ridges.notes.emplace_back(
        "Above, what each unit computes at most, and its ridge: work with fewer operations for each byte of main "
        "memory than that is bound by the memory, other work by the unit.");
}

void add_words(Answer& answer, const MachineExplained& summary) {
  const Explanation& one = summary.points.front();
  answer.title = fmt::format("{} on {}", what_of(one.point), summary.title);
  answer.add_notes("What limits it", {limit_words(one)});
  answer.add_notes("How far it is", {distance_words(one)});
  answer.add_notes("What the ridge says", {summary.no_ceilings.empty() ? ridge_words(one) : summary.no_ceilings});
  if (one.datasheet) answer.add_notes("Against the datasheet", {datasheet_words(one, summary.catalogue_entry)});
  answer.add_notes("How sure that is", {trust_words(one)});
  if (!one.causes.empty()) answer.add_notes("Usual causes (those marked + show in its row)", {});
  for (const auto& cause : one.causes) answer.say(fmt::format("{} {}", cause.seen ? "+" : "-", cause.text));
  auto& notes = answer.add_notes("What would make it faster, best first", {}).notes;
  if (one.invalid) {
    notes = {"This is not judged, because the measurement is invalid."};
    return;
  }
  for (const Lever& lever : one.levers) {
    if (!lever.factor) continue;
    notes.push_back(gain_of(lever));
    if (!lever.assumption.empty()) notes.back() += "; if " + lever.assumption;
  }
  if (notes.empty())
    notes = {summary.no_ceilings.empty() ? "nothing the model knows gains 2 % or more" : "not known without ceilings"};
}

void add_facts(Answer& answer, const Explanation& one) {
  const auto of_ridge = [&](double flop_per_byte, const std::string& where) {
    return fmt::format("{:.4g} {}/byte{}", flop_per_byte, one.ridge->operation, where);
  };
  std::vector<std::string> causes, levers;
  for (const auto& cause : one.causes)
    if (cause.seen) causes.push_back(cause.text);
  for (const Lever& lever : one.levers)
    if (lever.factor) levers.push_back(gain_of(lever));
  answer.add_facts(
      "", "",
      {{"", "point", one.point.id},
       {"", "regime", *one.point.regime},
       {"", "limit",
        one.point.limit + (one.limit_value ? ' ' + format_quantity(*one.limit_value, one.limit_value_unit) : "")},
       {"", "time", one.point.time.value, "s"},
       {"", "bound", one.point.bound_s, "s"},
       {"", "of bound", of_bound(one.point)},
       {"", "of datasheet",
        one.datasheet ? Value(percent(one.datasheet->fraction) + ", " + one.datasheet->limit) : Value()},
       {"", "intensity", one.ridge ? Value(of_ridge(one.ridge->flop_per_byte, " at " + one.ridge->level)) : Value()},
       {"", "ridge", one.ridge ? Value(of_ridge(one.ridge->ridge_flop_per_byte, ", " + one.ridge->peak)) : Value()},
       {"", "interval",
        one.half_interval_percent ? Value(fmt::format("±{:.2g} %", *one.half_interval_percent)) : Value()},
       {"", "disturbed", one.disturbed ? Value("yes") : Value()},
       {"", "cause", causes},
       {"", "lever", levers}});
}

void add_explanation_formulas(Answer& answer) {
  answer.add_facts(
      "", "formulas (docs/explain.md)",
      {{"", "bound",
        "of a stage max(F / P of every unit, Q / B of every level, launches x T0 where they queue, else added); stages "
        "add up"},
       {"", "of bound", "bound / measured time; below_roof under 50 %"},
       {"", "intensity", "F / Q, Q the bytes that the outermost level in use must move"},
       {"", "ridge", "P / B of that level, for the point's mix of reads and writes"},
       {"", "lost", "(time - bound) x count"},
       {"", "factor",
        "bound now / bound with the change; of the distance itself time / bound; of a batch that of one row's bound; "
        "of an implementation or a fusion that was measured time / time"}});
}

}  // namespace

Answer explanation_answer(const MachineExplained& summary, bool one_point, const ExplanationStyle& style) {
  // for one point people get more than its line, and nothing of its device
  const auto readers = one_point ? Answer::Readers::programs : Answer::Readers::all;
  Answer answer;
  add_machine(answer, summary, readers, style.terse);
  auto& points = answer.add_table("points", "Where its time goes", table_of(summary.points, facts_of_point));
  points.readers = readers;
  if (!style.terse && !summary.points.empty())
    points.notes = {
        "One line for each point, most time lost first. Lost is the time beyond the bound, times the count of a "
        "workload. 'gable explain FILE POINT' says more of one."};
  answer.add_facts("", "", {{"without_verdict", "no verdict", summary.without}}).readers = readers;
  if (one_point) style.terse ? add_facts(answer, summary.points.front()) : add_words(answer, summary);
  if (style.formulas) add_explanation_formulas(answer);
  return answer;
}

}  // namespace gable::questions
