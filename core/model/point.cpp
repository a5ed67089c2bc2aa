#include "core/model/point.hpp"

#include <algorithm>

#include "core/enum_names.hpp"

namespace gable {
namespace {
constexpr auto names = enum_names<Regime>({{Regime::compute_bound, "compute_bound"},
                                           {Regime::memory_bound, "memory_bound"},
                                           {Regime::overhead_bound, "overhead_bound"},
                                           {Regime::link_bound, "link_bound"},
                                           {Regime::below_roof, "below_roof"}});
}

std::string_view to_string(Regime regime) { return names.name(regime); }
std::optional<Regime> parse_regime(std::string_view text) { return names.parse(text); }

int launches_of_run(const Point& point) {
  int launches = 0;
  for (const Stage& stage : point.stages) launches += stage.launches;
  return launches / std::max(1, point.launches);
}

}  // namespace gable
