#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "cli/compare_parts.hpp"
#include "core/analysis/prediction.hpp"

namespace gable::cli {
namespace {

using namespace analysis;
using namespace report;

/// "memory-bound", or "below its memory-bound roof" where the bound explains less than half of the time.
std::string binding(const Placement& placement) {
  const auto name = bound_name(placement.bound.limit.kind);
  return placement.regime == Regime::below_roof ? fmt::format("below the roof ({} at best)", name) : std::string(name);
}

/// Where the ratio comes from, in words.
std::string reason_text(const OperatorRow& row, std::size_t subject) {
  const auto &a = *row.cells[0], &b = *row.cells[subject];
  const std::string name = letter(subject);
  const std::string sizes = b.like ? "" : fmt::format(" against {}, rates", b.key.params);
  const auto difference = b.ratio->difference();
  std::string text = fmt::format("{}{}: {:.3g}x{}: ", label_of(row.key), sizes, b.ratio->value,
                                 difference ? ", " + difference_text(*difference) : "");
  if (!b.speedup) {
    for (const std::size_t i : {std::size_t{0}, subject}) {
      const auto& missing = row.cells[i]->placement.missing;
      if (!missing.empty()) text += fmt::format("no reason, missing on {}: {}. ", letter(i), fmt::join(missing, ", "));
    }
    return text;
  }
  const std::string of_a = binding(a.placement), of_b = binding(b.placement);
  text += of_a == of_b ? fmt::format("{} on both", of_a) : fmt::format("{} on A, {} on {}", of_a, of_b, name);
  text += fmt::format("; {} {:.3g}x", roof_name(b.speedup->roof), b.speedup->of_roof);
  if (!b.speedup->of_a.label.empty() && !b.speedup->of_b.label.empty())
    text += fmt::format(" (A {}, {} {}{})", used_text(b.speedup->of_a), name, used_text(b.speedup->of_b),
                        b.speedup->like ? "" : "; unlike");
  if (std::abs(b.speedup->of_others - 1) > 0.005) {
    const LimitKind other = b.placement.bound.limit.kind;
    text += other == b.speedup->roof ? fmt::format(", other costs {:.3g}x", b.speedup->of_others)
                                     : fmt::format(", of which {}'s {} roof lets {:.3g} through", name,
                                                   roof_name(other), b.speedup->of_others);
  }
  text += fmt::format("; reached of the bound {:.3g} % -> {:.3g} % gives {:.3g}x", 100 * a.placement.fraction,
                      100 * b.placement.fraction, b.speedup->of_fraction);
  if (a.placement.above_roof() || b.placement.above_roof())
    text += "; above 100 %: a roof was measured low, and these factors do not hold";
  return text;
}

}  // namespace

std::string reasons_text(const Compared& compared, int width) {
  std::string text;
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    std::string lines;
    for (const OperatorRow& row : compared.answer.operators) {
      if (row.cells[i]) lines += wrap(reason_text(row, i), width, 2);
    }
    if (!lines.empty())
      text += fmt::format("\nwhy {} takes another time than A (the factors multiply)\n{}", letter(i), lines);
  }
  return text;
}

}  // namespace gable::cli
