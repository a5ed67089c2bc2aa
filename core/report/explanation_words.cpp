#include "core/report/explanation_words.hpp"

#include <fmt/format.h>

#include "core/model/point.hpp"
#include "core/model/units.hpp"

namespace gable::report {

using analysis::Explanation;

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
      return "It is link-bound: the way to another device takes longest, and decides.";
    case Regime::below_roof:
      break;
  }
  return fmt::format(
      "It is below every roof. The roofs explain {} of its time, so it is neither memory- nor compute-bound, whatever "
      "its intensity: something the roofs do not know holds it back. See the usual causes below.",
      percent(answer.fraction));
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

}  // namespace

std::string what_of(const Point& point) {
  std::string text = fmt::format("{} ({}), {}", point.op, point.implementation, to_string(point.types.a));
  if (!point.params.empty()) text += ", " + point.params;
  const std::string manner = manner_of(point);
  return manner.empty() ? text : text + ", " + manner;
}

std::string limit_words(const Explanation& answer) {
  const bool below = answer.point.regime == Regime::below_roof;
  const std::string value =
      answer.limit_value ? ", " + format_quantity(*answer.limit_value, answer.limit_unit) + " here" : "";
  return fmt::format("{} {} the roof {}{}.", regime_words(answer), below ? "The nearest to it is" : "Its limit is",
                     answer.limit.label, value);
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

std::string datasheet_words(const Explanation& answer, const std::string& catalogue_entry) {
  return fmt::format(
      "Of what the vendor's figures{} allow it reaches {} ({}). Measured roofs are what programs can get; datasheets "
      "are "
      "what the chip was built for, a processor's at its nominal clock.",
      catalogue_entry.empty() ? "" : " (" + catalogue_entry + ")", percent(answer.datasheet->fraction),
      answer.datasheet->limit);
}

}  // namespace gable::report
