#include "core/model/ceiling.hpp"

#include <fmt/format.h>

#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"

namespace gable {
namespace {
constexpr auto kinds = enum_names<CeilingKind>({{CeilingKind::compute, "compute"},
                                                {CeilingKind::bandwidth, "bandwidth"},
                                                {CeilingKind::latency, "latency"},
                                                {CeilingKind::overhead, "overhead"},
                                                {CeilingKind::link, "link"}});
constexpr auto scopes =
    enum_names<Scope>({{Scope::node, "node"}, {Scope::socket, "socket"}, {Scope::numa, "numa"}, {Scope::core, "core"}});
constexpr auto points = enum_names<OperatingPoint>({{OperatingPoint::none, "none"},
                                                    {OperatingPoint::burst, "burst"},
                                                    {OperatingPoint::sustained, "sustained"},
                                                    {OperatingPoint::library, "library"}});
constexpr auto accesses = enum_names<Access>({{Access::none, "none"},
                                              {Access::read, "read"},
                                              {Access::write, "write"},
                                              {Access::copy, "copy"},
                                              {Access::update, "update"},
                                              {Access::triad, "triad"}});
constexpr auto store_kinds = enum_names<Stores>(
    {{Stores::none, "none"}, {Stores::ordinary, "ordinary"}, {Stores::non_temporal, "non_temporal"}});

constexpr double tolerated = 1.01;

/// Nothing for a row that was not measured.
std::optional<double> percent(double value, const std::optional<double>& whole) {
  if (!whole || !(*whole > 0) || value == 0) return {};
  return value / *whole * 100;
}
}  // namespace

std::string_view to_string(CeilingKind kind) { return kinds.name(kind); }
std::string_view to_string(Scope scope) { return scopes.name(scope); }
std::string_view to_string(OperatingPoint point) { return points.name(point); }
std::string_view to_string(Access access) { return accesses.name(access); }
std::string_view to_string(Stores stores) { return store_kinds.name(stores); }
std::optional<CeilingKind> parse_ceiling_kind(std::string_view text) { return kinds.parse(text); }
std::optional<Scope> parse_scope(std::string_view text) { return scopes.parse(text); }
std::optional<OperatingPoint> parse_operating_point(std::string_view text) { return points.parse(text); }
std::optional<Access> parse_access(std::string_view text) { return accesses.parse(text); }
std::optional<Stores> parse_stores(std::string_view text) { return store_kinds.parse(text); }

double read_fraction(Access access) {
  switch (access) {
    case Access::read:
      return 1;
    case Access::copy:
    case Access::update:
      return 1.0 / 2;
    case Access::triad:
      return 2.0 / 3;
    case Access::write:
      return 0;
    case Access::none:
      break;
  }
  throw Error("access \"none\" has no fraction of reads");
}

int arrays_of(Access access) {
  if (access == Access::triad) return 3;
  return access == Access::copy ? 2 : 1;
}

std::optional<double> percent_of_datasheet(const Ceiling& ceiling) {
  return percent(ceiling.value.value, ceiling.datasheet);
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
