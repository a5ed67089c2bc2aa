#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/questions/campaign/fleet.hpp"
#include "core/questions/campaign/folder.hpp"
#include "core/text/safe_text.hpp"

namespace gable::campaign {
namespace {

/// Damaged summaries of an earlier campaign tell nothing.
void read_earlier(FleetBuilder& builder, const std::filesystem::path& folder, const Plan& plan) {
  const Plan earlier = read_plan(folder);
  if (earlier.id == plan.id)
    throw Error(fmt::format("'{}' is this campaign itself, not an earlier one", printable(folder.string())));
  for (const std::string& node : nodes_with_summary(folder)) {
    try {
      const NodeSummary summary = read_summary(summary_file(folder, {node}));
      if (summary.plan == earlier.id && summary.node == node && summary.retest == 0) builder.add_earlier(node, summary);
    } catch (const Error&) {
    }
  }
}

}  // namespace

Fleet read_fleet(const std::filesystem::path& folder, const FleetOptions& options,
                 const std::optional<std::filesystem::path>& earlier) {
  const Plan plan = read_plan(folder);
  FleetBuilder builder(plan, options);
  const auto measured = nodes_with_summary(folder);
  std::set<std::string> told;
  for (const std::string& node : measured) {
    try {
      NodeSummary summary = read_summary(summary_file(folder, {node}));
      if (!options.fact.empty()) {
        for (const SummaryFact& fact : summary.facts) told.insert(fact.name);
      }
      builder.add(node, std::move(summary));
    } catch (const Error& error) {
      builder.add_damaged(node, fmt::format("its summary cannot be read: {}", error.what()));
    }
  }
  if (!options.fact.empty() && !told.contains(options.fact))
    throw Error(fmt::format("no node tells '{}'; they tell: {}", printable(options.fact),
                            printable(fmt::format("{}", fmt::join(told, "; ")))));
  if (earlier) read_earlier(builder, *earlier, plan);
  std::error_code none;
  for (const std::string& node : nodes_begun(folder)) {
    if (std::ranges::binary_search(measured, node)) continue;
    const bool has_result = std::filesystem::exists(result_file(folder, {node}), none);
    builder.explain_absence(node, has_result ? "it has a result, but no summary: run 'gable campaign run' there again"
                                             : "it began and did not finish: run 'gable campaign run' there again");
  }
  return builder.finish();
}

}  // namespace gable::campaign
