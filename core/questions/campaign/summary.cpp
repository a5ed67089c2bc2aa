#include "core/questions/campaign/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/model/units.hpp"
#include "core/questions/campaign/plan.hpp"
#include "core/result/anonymous.hpp"
#include "core/text/text_table.hpp"

namespace gable::campaign {
namespace {

constexpr int longest_host = 64;  // gethostname(2)

/// The same facts of the devices of one backend, told once.
void add_device_facts(const std::vector<DeviceInfo>& devices, std::vector<SummaryFact>& facts) {
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>> told;  // name: device, value
  const auto tell = [&](const DeviceInfo& device, const std::string& name, const std::string& value) {
    const std::string key = fmt::format("{} ({})", name, device.backend);
    auto found = std::ranges::find(told, key, [](const auto& one) { return one.first; });
    if (found == told.end()) found = told.insert(told.end(), {key, {}});
    found->second.emplace_back(device.id, value);
  };
  for (const DeviceInfo& device : devices) {
    tell(device, "device", device.name);
    tell(device, "cores", fmt::format("{}", device.cores));
    if (!device.memory.empty()) tell(device, "main memory", format_quantity(device.memory.back().size_bytes, "byte"));
    for (const Fact& fact : device.facts) {
      if (!result::names_one_device(fact)) tell(device, fact.name, fact.value);
    }
  }
  for (const auto& [name, values] : told) {
    std::map<std::string, int> counts;
    for (const auto& [device, value] : values) ++counts[value];
    const std::string most = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
    std::string text = most;
    for (const auto& [device, value] : values) {
      if (value != most) text += fmt::format(", but {}: {}", device, value);
    }
    facts.push_back({name, text});
  }
}

/// Leaves the first of facts with one name and value: a result may name a worker once a device.
void drop_repeated(std::vector<SummaryFact>& facts) {
  std::set<std::pair<std::string, std::string>> seen;
  std::erase_if(facts, [&](const SummaryFact& fact) { return !seen.emplace(fact.name, fact.value).second; });
}

std::vector<SummaryFact> facts_of(const Result& result) {
  // what changes from run to run, and what the summary tells elsewhere
  constexpr std::array<std::string_view, 5> passing{"load_average_at_start", "load_average_at_end", "CPU time stolen",
                                                    plan_fact, node_fact};
  constexpr int longest = 160;
  std::vector<SummaryFact> facts;
  const auto build = [](const Build& one) {
    return fmt::format("{} ({:.12}{})", one.version, one.commit, one.dirty ? ", modified" : "");
  };
  facts.push_back({"operating system", result.run.os});
  facts.push_back({"kernel", result.run.kernel});
  facts.push_back({"gable", build(result.build)});
  for (const auto& [name, worker] : result.workers) {
    facts.push_back({name, build(worker)});
    facts.push_back({fmt::format("compiler ({})", name), worker.compiler});
    for (const auto& [library, version] : worker.libraries)
      facts.push_back({fmt::format("{} ({})", library, name), version});
  }
  for (const Fact& fact : result.run.facts) {
    if (std::ranges::count(passing, fact.name) == 0 && !result::names_one_device(fact))
      facts.push_back({fact.name, fact.value});
  }
  add_device_facts(result.devices, facts);
  std::erase_if(facts, [](const SummaryFact& fact) { return fact.value.empty() || fact.value == "unknown"; });
  for (SummaryFact& fact : facts) fact.value = shorten(fact.value, longest);
  drop_repeated(facts);
  return facts;
}

template <class AnyRow>
void add_row(NodeSummary& summary, const AnyRow& row) {
  const auto device = std::ranges::find(summary.devices, row.device, &SummaryDevice::id);
  if (device == summary.devices.end()) return;
  SummaryRow told{.device = static_cast<std::size_t>(device - summary.devices.begin()),
                  .name = row.id,
                  .unit = std::string(unit_of(row)),
                  .status = row.status,
                  .reason = row.reason};
  if (row.status == Status::ok || row.status == Status::suspect) {
    const Estimate& estimate = *estimate_of(row);
    told.value = estimate.value;
    told.low = estimate.ci_low;
    told.high = estimate.ci_high;
    told.clock_hz = row.conditions.clock_hz;
    told.power_w = row.conditions.power_w;
    told.temperature_c = row.conditions.temperature_c;
    told.clock_limits = row.conditions.clock_limits.value_or("");
  }
  summary.rows.push_back(std::move(told));
}

}  // namespace

NodeSummary summary_of(const Result& result, const std::string& plan, const NodeRun& run) {
  NodeSummary summary{.plan = plan, .node = run.node, .retest = run.retest, .round = run.round};
  const std::string& host = result.run.hostname;
  const std::string short_host = host.substr(0, host.find('.'));
  if (host != run.node && short_host != run.node) summary.host = shorten(short_host, longest_host);
  summary.measured_at = result.run.finished_at;
  summary.mode = result.run.mode;
  for (const DeviceInfo& device : result.devices) summary.devices.push_back({device.id, device.name});
  summary.facts = facts_of(result);
  for (const Ceiling& row : result.ceilings) add_row(summary, row);
  for (const Point& row : result.points) add_row(summary, row);
  return summary;
}

}  // namespace gable::campaign
