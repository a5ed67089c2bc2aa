#include "core/questions/campaign/campaign_files.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/questions/check/acceptance.hpp"
#include "core/questions/check/acceptance_files.hpp"
#include "core/text/csv_table.hpp"

namespace gable::campaign {
namespace {

using campaign::NodeVerdict;
using questions::AcceptanceVerdict;

AcceptanceVerdict verdict_of(NodeVerdict verdict) {
  switch (verdict) {
    case NodeVerdict::pass:
      return AcceptanceVerdict::pass;
    case NodeVerdict::unjudged:
    case NodeVerdict::retest:
      return AcceptanceVerdict::unjudged;
    case NodeVerdict::flagged:
      return AcceptanceVerdict::low;
    case NodeVerdict::damaged:
      return AcceptanceVerdict::suspicious;
    case NodeVerdict::failed:
    case NodeVerdict::absent:
      break;
  }
  return AcceptanceVerdict::missing;
}

}  // namespace

std::string nodes_csv(const campaign::Fleet& fleet) {
  std::string text = csv_line({"name", "host", "verdict", "reason", "expected", "measured_at", "judged", "not_judged",
                               "flagged", "to_retest", "failed", "worst_loss"});
  for (const campaign::FleetNode& node : fleet.nodes) {
    const auto count = [](std::size_t number) { return fmt::format("{}", number); };
    text += csv_line({csv_cell(node.name), csv_cell(node.host), csv_cell(to_string(node.verdict)),
                      csv_cell(node.reason), node.expected ? "true" : "false", csv_cell(node.measured_at),
                      count(node.judged), count(node.unjudged), count(node.flagged), count(node.to_retest),
                      count(node.failed), csv_cell(node.worst_loss)});
  }
  return text;
}

std::string fleet_junit(const campaign::Fleet& fleet) {
  questions::Checked checked{.remarks = fleet.remarks, .properties = {{"plan", fleet.plan}}};
  for (const campaign::FleetNode& node : fleet.nodes) {
    checked.rows.push_back({.name = node.name, .criterion = "node", .verdict = verdict_of(node.verdict)});
    if (node.verdict != NodeVerdict::pass)
      checked.rows.back().reason = fmt::format("{}: {}", to_string(node.verdict), node.reason);
  }
  return junit(checked, "gable campaign report");
}

}  // namespace gable::campaign
