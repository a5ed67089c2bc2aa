#include "cli/explain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/model/point.hpp"
#include "core/model/standing.hpp"
#include "core/model/units.hpp"
#include "core/text/text_table.hpp"

namespace gable::cli {
namespace {

using analysis::Explanation;
using analysis::Lever;

constexpr int width = 110;
constexpr int table_width = 170;

std::string paragraph(const std::string& title, const std::string& text) {
  return title + '\n' + wrap(text, width, 2) + '\n';
}

std::string percent(double fraction) { return fmt::format("{:.3g} %", 100 * fraction); }
std::string times(double factor) { return fmt::format("{:.3g}x", factor); }

std::string of_bound(const Explanation& answer) {
  return answer.standing == Standing::under_roof ? percent(answer.fraction)
                                                 : share_of_bound(answer.fraction, answer.standing);
}

std::string limit_value(const Explanation& answer) {
  return answer.limit_value ? format_quantity(*answer.limit_value, answer.limit_unit) : "";
}

/// "operator, implementation, fp32, sizes".
std::string what_of(const Point& point) {
  std::string text = fmt::format("{} ({}), {}", point.op, point.implementation, to_string(point.types.a));
  if (!point.params.empty()) text += ", " + point.params;
  const std::string manner = manner_of(point);
  return manner.empty() ? text : text + ", " + manner;
}

std::string regime_words(const Explanation& answer) {
  switch (*answer.point.regime) {
    case Regime::compute_bound:
      return "It is compute-bound: the arithmetic takes longer than moving the data, so the arithmetic decides.";
    case Regime::memory_bound:
      return "It is memory-bound: moving the data takes longer than the arithmetic, so the memory decides.";
    case Regime::overhead_bound:
      return "It is overhead-bound: the fixed cost of starting it takes longer than its work.";
    case Regime::link_bound:
      return "It is link-bound: the way to another device takes longest, and decides.";
    case Regime::below_roof:
      break;
  }
  return fmt::format(
      "It is below every roof. The roofs explain {} of its time, so it is neither memory- nor compute-bound, whatever "
      "its intensity: something the roofs do not know holds it back. See the usual causes below.",
      percent(answer.fraction));
}

std::string distance_words(const Explanation& answer) {
  const std::string time = format_quantity(answer.point.time.value, "s"), bound = format_quantity(answer.bound_s, "s");
  if (answer.fraction > 1) {
    const std::string text = fmt::format(
        "One run takes {}. By the measured roofs it would take at least {} (its bound), so it runs at {} of its "
        "bound.",
        time, bound, percent(answer.fraction));
    if (answer.invalid)
      return text +
             " No roof is measured so much too low: the measurement is invalid, not all of its work was done or "
             "timed. Do not use it.";
    if (answer.standing == Standing::above_roof) {
      return text + fmt::format(
                        " That is more than the intervals of its time and of the roof {} allow together. One of the "
                        "two is suspect: the roof was measured too low, as other work on the machine makes it, or part "
                        "of the data stayed in a cache that the model does not count on. Measure both again.",
                        answer.limit.label);
    }
    return text +
           " The intervals of its time and of the roof allow that together. It is at its roof: do not read more out "
           "of it.";
  }
  std::string text = fmt::format(
      "One run takes {}. By the measured roofs no program with the same flops and bytes takes less than {} on this "
      "machine (its bound): ",
      time, bound);
  text += fmt::format("it runs at {} of its bound", percent(answer.fraction));
  if (answer.fraction_low && answer.fraction_high)
    text += fmt::format(" ({} to {} within the 95 % interval of its time)", percent(*answer.fraction_low),
                        percent(*answer.fraction_high));
  return text + fmt::format(". A perfect kernel would be {} faster, not more.", times(1 / answer.fraction));
}

/// What the side of the ridge says only where one of its two roofs decides.
std::string ridge_advice(const Explanation& answer, bool left) {
  const Regime regime = *answer.point.regime;
  if (regime == Regime::memory_bound && left)
    return "by the roofs, faster arithmetic gains nothing, fewer or faster bytes do.";
  if (regime == Regime::compute_bound && !left && answer.ridge->decides)
    return "by the roofs, faster memory gains nothing, faster or narrower arithmetic does.";
  if (regime == Regime::overhead_bound)
    return "but neither decides: the fixed cost of its launches does. Fewer launches or more work in each gain.";
  if (regime == Regime::below_roof) return "but neither decides: what holds it back below every roof does.";
  return fmt::format("but neither decides: the roof {} does, and only less or faster work there gains.",
                     answer.limit.label);
}

std::string ridge_words(const Explanation& answer) {
  if (!answer.ridge)
    return "It computes nothing that a roof is known for, or moves no bytes: there is no ridge to compare with.";
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

std::string trust_words(const Explanation& answer) {
  std::string text;
  if (answer.half_interval_percent)
    text = fmt::format("The 95 % interval of its time is ±{:.2g} %.", *answer.half_interval_percent);
  else
    text = "It has no interval: fewer than six blocks were measured.";
  if (answer.half_interval_percent.value_or(0) > 5)
    text += " That is wide: repeat it before relying on small differences.";
  if (answer.disturbed) text += " More than half of its blocks were disturbed, or it was found among slow ones.";
  if (answer.point.status == Status::ok && !answer.point.reason.empty())
    text += " Of its roofs: " + answer.point.reason + ".";
  return text;
}

std::string causes_text(const Explanation& answer) {
  std::string text = "Usual causes (those marked + show in its row)\n";
  for (const auto& cause : answer.causes)
    text += wrap(fmt::format("{} {}", cause.seen ? "+" : "-", cause.text), width, 2);
  return text + '\n';
}

/// "1.43x", with its interval where it was measured.
std::string gain_of(const Lever& lever) {
  const std::string gain = times(*lever.factor);
  if (!lever.factor_low || !lever.factor_high) return gain;
  return fmt::format("{} ({} to {})", gain, times(*lever.factor_low), times(*lever.factor_high));
}

std::string levers_text(const Explanation& answer) {
  if (answer.invalid)
    return "What would make it faster\n" + wrap("This is not judged, because the measurement is invalid.", width, 2);
  std::string text = "What would make it faster, best first\n";
  bool any = false;
  for (const Lever& lever : answer.levers) {
    if (!lever.factor) continue;
    any = true;
    text += wrap(fmt::format("{} {}{}{}", gain_of(lever), lever.name, lever.change.empty() ? "" : ": ", lever.change),
                 width, 2);
    if (!lever.assumption.empty()) text += wrap("if " + lever.assumption, width, 8);
  }
  return text + (any ? "" : "  nothing the model knows gains 2 % or more\n");
}

std::string first_lever(const Explanation& answer) {
  const auto best = std::ranges::find_if(
      answer.levers, [](const Lever& lever) { return lever.factor && *lever.factor >= analysis::least_gain; });
  return best == answer.levers.end() ? "" : fmt::format("{} {}", times(*best->factor), best->name);
}

std::string ridge_table(const analysis::Machine& machine) {
  TextTable table({{"roof"}, {"at most", true}, {"ridge, flop/byte", true}});
  for (const auto& [roof, flop_per_byte] : analysis::ridges(machine)) {
    table.add({roof.label, format_quantity(roof.flop_per_s, rate_unit(roof.unit, roof.dtype)),
               fmt::format("{:.3g}", flop_per_byte)});
  }
  return table.empty() ? "" : table.render(table_width) + '\n';
}

/// Every level by its triad, the innermost first; where there is none, by any mix.
std::string level_words(const analysis::Machine& machine) {
  std::string text;
  for (const Level& level : machine.roofline.levels()) {
    if (const auto rate = machine.roofline.byte_per_s(level.name))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", level.name, format_quantity(*rate, "byte/s"));
  }
  if (text.empty()) return "No bandwidth was measured.";
  text += ", for two bytes read and one written (triad).";
  if (const auto& launch = machine.roofline.overhead())
    text += fmt::format(" Starting a kernel costs {}.", format_quantity(launch->seconds, "s"));
  return "Bandwidths: " + text;
}

std::string points_table(const MachineExplained& summary) {
  TextTable table({{"point", false, true},
                   {"time", true},
                   {"lost", true},
                   {"of bound", true},
                   {"of datasheet", true},
                   {"regime"},
                   {"limit", false, true},
                   {"best lever", false, true}});
  for (const Explanation& answer : summary.points) {
    const Point& point = answer.point;
    table.add({point.id, format_quantity(point.time.value, "s"),
               format_quantity(std::max(0.0, analysis::lost_s(point)), "s"), of_bound(answer),
               answer.datasheet ? percent(answer.datasheet->fraction) : "", std::string(to_string(*point.regime)),
               answer.limit.label, first_lever(answer)});
  }
  return table.empty() ? "" : table.render(table_width) + '\n';
}

}  // namespace

std::string plain_text(const Explanation& answer, const MachineExplained& summary) {
  std::string text = wrap(fmt::format("{} on {}", what_of(answer.point), summary.title), width, 0) + '\n';
  const bool below = answer.point.regime == Regime::below_roof;
  text += paragraph("What limits it", fmt::format("{} {} the roof {}{}.", regime_words(answer),
                                                  below ? "The nearest to it is" : "Its limit is", answer.limit.label,
                                                  answer.limit_value ? ", " + limit_value(answer) + " here" : ""));
  text += paragraph("How far it is", distance_words(answer));
  text += paragraph("What the ridge says", ridge_words(answer));
  if (answer.datasheet) {
    text += paragraph(
        "Against the datasheet",
        fmt::format("Of what the vendor's figures{} allow it reaches {} ({}). Measured roofs are what programs "
                    "can get; datasheets are what the chip was built for, a processor's at its nominal clock.",
                    summary.catalogue_entry.empty() ? "" : " (" + summary.catalogue_entry + ")",
                    percent(answer.datasheet->fraction), answer.datasheet->limit));
  }
  text += paragraph("How sure that is", trust_words(answer));
  if (!answer.causes.empty()) text += causes_text(answer);
  return text + levers_text(answer);
}

std::string plain_text(const MachineExplained& summary) {
  std::string text = wrap(summary.title, width, 0);
  text += summary.catalogue_entry.empty() ? "" : fmt::format("catalogue entry: {}\n", summary.catalogue_entry);
  text += '\n' + paragraph("What it can do at most (its roofs)",
                           level_words(summary.machine) +
                               " Below, what each unit computes at most, and its ridge: work with fewer operations for "
                               "each byte of main memory than that is bound by the memory, other work by the unit.");
  text += ridge_table(summary.machine);
  if (!summary.points.empty()) {
    text +=
        wrap(
            "Where its time goes: one line for each point, most time lost first. Lost is the time beyond the bound, "
            "times the count of a workload. 'gable explain FILE POINT' says more of one.",
            width, 0) +
        '\n' + points_table(summary);
  }
  for (const std::string& line : summary.without) text += wrap(line, width, 0);
  return text;
}

std::string terse_text(const Explanation& answer) {
  const Point& point = answer.point;
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}: {}\n", name, value);
  };
  add("point", point.id);
  add("regime", std::string(to_string(*point.regime)));
  add("limit", fmt::format("{} {}", answer.limit.label, limit_value(answer)));
  add("time", format_quantity(point.time.value, "s"));
  add("bound", format_quantity(answer.bound_s, "s"));
  add("of bound", of_bound(answer));
  if (answer.datasheet)
    add("of datasheet", fmt::format("{}, {}", percent(answer.datasheet->fraction), answer.datasheet->limit));
  if (answer.ridge) {
    add("intensity",
        fmt::format("{:.4g} {}/byte at {}", answer.ridge->flop_per_byte, answer.ridge->operation, answer.ridge->level));
    add("ridge", fmt::format("{:.4g} {}/byte, {}", answer.ridge->ridge_flop_per_byte, answer.ridge->operation,
                             answer.ridge->peak));
  }
  if (answer.half_interval_percent) add("interval", fmt::format("±{:.2g} %", *answer.half_interval_percent));
  if (answer.disturbed) add("disturbed", "yes");
  for (const auto& cause : answer.causes) {
    if (cause.seen) add("cause", cause.text);
  }
  for (const Lever& lever : answer.levers) {
    if (!lever.factor) continue;
    add("lever", fmt::format("{} {}{}{}", gain_of(lever), lever.name, lever.change.empty() ? "" : ": ", lever.change));
  }
  return text;
}

std::string terse_text(const MachineExplained& summary) {
  std::string text = fmt::format("device: {}\n", summary.title);
  if (!summary.catalogue_entry.empty()) text += fmt::format("catalogue: {}\n", summary.catalogue_entry);
  text += fmt::format("roofs: {}\n", level_words(summary.machine));
  for (const auto& [roof, flop_per_byte] : analysis::ridges(summary.machine))
    text += fmt::format("ridge: {} {:.3g} flop/byte\n", roof.label, flop_per_byte);
  for (const Explanation& answer : summary.points) {
    text += fmt::format("point: {} lost {}, {} of bound, {}, {}\n", answer.point.id,
                        format_quantity(std::max(0.0, analysis::lost_s(answer.point)), "s"), of_bound(answer),
                        to_string(*answer.point.regime), first_lever(answer));
  }
  for (const std::string& line : summary.without) text += fmt::format("no verdict: {}\n", line);
  return text;
}

std::string formulas_of_explain() {
  return "\nformulas (docs/explain.md)\n"
         "  bound        of a stage max(F / P of every unit, Q / B of every level, launches x T0 where they queue, "
         "else\n"
         "               added); stages add up\n"
         "  of bound     bound / measured time; below_roof under 50 %\n"
         "  intensity    F / Q, Q the bytes that the outermost level in use must move\n"
         "  ridge        P / B of that level, for the point's mix of reads and writes\n"
         "  lost         (time - bound) x count\n"
         "  factor       bound now / bound with the change; of the distance itself time / bound; of a batch that of "
         "one\n"
         "               row's bound; of an implementation or a fusion that was measured time / time\n";
}

}  // namespace gable::cli
