#include "core/model/ceiling.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/model/units.hpp"

namespace gable {
namespace {
constexpr double tolerated = 1.01;

/// Nothing for a row that was not measured.
std::optional<double> percent(double value, const std::optional<double>& whole) {
  if (!whole || !(*whole > 0) || value == 0) return {};
  return value / *whole * 100;
}
}  // namespace

double read_fraction(Access access) {
  if (access == Access::read || access == Access::random) return 1;
  if (access == Access::copy || access == Access::update) return 1.0 / 2;
  if (access == Access::triad) return 2.0 / 3;
  if (access == Access::write) return 0;
  throw Error("access \"none\" has no fraction of reads");
}

int arrays_of(Access access) {
  if (access == Access::triad) return 3;
  return access == Access::copy ? 2 : 1;
}

std::optional<double> percent_of_datasheet(const Ceiling& ceiling) {
  return percent(ceiling.value.value, ceiling.datasheet);
}

std::string share_of_datasheet(const Ceiling& ceiling) {
  const auto share = percent_of_datasheet(ceiling);
  if (!share) return {};
  if (*share <= 100.05) return fmt::format("{:.1f} %", *share);
  const double explained = ceiling.theory_at_clock.value_or(0);
  if (ceiling.value.value > tolerated * explained) return "above 100 % (not explained)";
  return fmt::format("{:.1f} % (clock above the datasheet's)", *share);
}

std::optional<double> percent_at_clock(const Ceiling& ceiling) {
  return percent(ceiling.value.value, ceiling.theory_at_clock);
}

std::string implausible(const Ceiling& ceiling) {
  if (!ceiling.theory_at_clock) return {};
  const double lowest = ceiling.value.low();
  const double theory = *ceiling.theory_at_clock;
  if (lowest <= tolerated * theory) return {};
  const auto cause = ceiling.kind == CeilingKind::bandwidth ? "the data were probably served by an inner level"
                                                            : "the clock probably rose after it was read";
  return fmt::format("{} is {:.1f} % of what the units can do at the observed clock ({}): {}",
                     format_quantity(lowest, ceiling.unit), lowest / theory * 100,
                     format_quantity(theory, ceiling.unit), cause);
}

}  // namespace gable
