#include "core/analysis/plan_cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "core/model/standing.hpp"

namespace gable::analysis {
namespace {

/// " (but with fp16)": the types that the operator takes beside a; empty without any.
std::string partners(const OperatorSpec& spec, DType a) {
  std::vector<std::string_view> names;
  for (const Types& types : spec.types) {
    if (types.a == a) names.push_back(to_string(types.b));
  }
  return names.empty() ? "" : fmt::format(" (but with {})", fmt::join(names, ", "));
}

/// Why the build cannot do it; empty where it can.
std::string refusal(const OperatorRun& run, Operators operators) {
  const auto spec = std::ranges::find(operators, run.op, &OperatorSpec::name);
  if (spec == operators.end()) return fmt::format("no operator {}", run.op);
  const auto fits = [&](const Types& types) { return types.a == run.a && types.b == run.b; };
  const auto types = std::ranges::find_if((*spec)->types, fits);
  if (types == (*spec)->types.end()) {
    return run.a == run.b ? fmt::format("{} does not take {}", run.op, to_string(run.a))
                          : fmt::format("{} does not take {} with {}{}", run.op, to_string(run.a), to_string(run.b),
                                        partners(**spec, run.a));
  }
  try {
    (*spec)->work(run.params, *types);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void add(std::vector<Case>& cases, const OperatorRun& run, double count, const std::string& label) {
  Case one{.op = run.op, .params = {run.params}, .dtypes = {run.a}, .count = count, .label = label};
  const auto same = std::ranges::find_if(cases, [&](const Case& known) {
    return known.op == one.op && known.params == one.params && known.dtypes == one.dtypes;
  });
  if (same == cases.end()) {
    cases.push_back(std::move(one));
    return;
  }
  *same->count += count;
  same->label += " + " + label;
}

bool same_sizes(const Params& a, const Params& b) {
  return a.values().size() == b.values().size() &&
         std::ranges::all_of(a.values(), [&](const auto& value) { return std::ranges::count(b.values(), value) != 0; });
}

/// Alone on the whole device, not several runs at once and not out of a graph: what a row of the plan is.
bool is_run(const Point& point, const OperatorRun& run, const std::string& device) {
  return has_time(point) && point.device == device && point.op == run.op && point.types.a == run.a &&
         point.types.b == run.b && point.scope == Scope::node && point.launches == 1 && !point.graph &&
         same_sizes(Params::parse(point.params), run.params);
}

}  // namespace

void add_cases(PlanCases& list, const std::string& phase_name, const PhasePlan& phase, Operators operators) {
  for (const PlannedOperator& op : phase.operators) {
    const std::string why = op.run ? refusal(*op.run, operators) : op.no_run;
    const std::string label = fmt::format("{}: {}", phase_name, op.name);
    if (why.empty())
      add(list.cases, *op.run, static_cast<double>(op.times), label);
    else
      list.left_out.push_back(fmt::format("{}: {}", label, why));
  }
}

std::optional<MeasuredRun> measured_run(const OperatorRun& run, const Result& result, const std::string& device) {
  const Point* best = nullptr;
  for (const Point& point : result.points) {
    if (!is_run(point, run, device)) continue;
    const bool better =
        best == nullptr || (point.cold != best->cold ? point.cold : point.time.value < best->time.value);
    if (better) best = &point;
  }
  if (best == nullptr) return {};
  return MeasuredRun{best->time.value, best->time.ci_low, best->time.ci_high, best->implementation, best->cold};
}

}  // namespace gable::analysis
