#include "core/result/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/error.hpp"

namespace gable::result {
namespace {

using Count = std::map<std::string, int>;

/// The name itself where only one result has it; else with its host, and a number where the host repeats.
std::string unique_name(const std::string& name, const std::string& host, const Count& owners,
                        std::set<std::string>& taken) {
  std::string candidate = owners.at(name) > 1 ? fmt::format("{}:{}", host, name) : name;
  const std::string base = candidate;
  for (int number = 2; !taken.insert(candidate).second; ++number) candidate = fmt::format("{}#{}", base, number);
  return candidate;
}

template <class Rows>
void append_rows(Rows& to, const Rows& from, const std::map<std::string, std::string>& renamed) {
  for (const auto& row : from) {
    to.push_back(row);
    const auto found = renamed.find(row.device);
    if (found != renamed.end()) to.back().device = found->second;
  }
}

void append_run(RunInfo& to, const RunInfo& from) {
  to.started_at = std::min(to.started_at, from.started_at);  // ISO 8601 in UTC sorts by time
  to.finished_at = std::max(to.finished_at, from.finished_at);
  to.complete = to.complete && from.complete;
  if (to.mode != from.mode) to.mode = "quick";  // a mix is not a full measurement
  to.resumed += from.resumed;
  if (to.os != from.os) to.os.clear();
  if (to.kernel != from.kernel) to.kernel.clear();
}

}  // namespace

Result merge(std::span<const Result> results) {
  if (results.empty()) throw Error("no result to merge");
  if (results.size() == 1) return results.front();
  Count device_owners;
  Count worker_owners;
  for (const auto& result : results) {
    for (const auto& device : result.devices) ++device_owners[device.id];
    for (const auto& worker : result.workers) ++worker_owners[worker.first];
  }
  Result merged;
  merged.build = results.front().build;
  merged.run = results.front().run;
  merged.run.resumed = 0;
  merged.run.facts.clear();
  std::set<std::string> device_names;
  std::set<std::string> worker_names;
  std::set<std::string> hosts;
  for (const auto& result : results) {
    const auto& host = result.run.hostname;
    hosts.insert(host);
    append_run(merged.run, result.run);
    std::map<std::string, std::string> renamed;
    for (auto device : result.devices) {
      const auto old = device.id;
      device.id = unique_name(old, host, device_owners, device_names);
      device.facts.push_back({"host", host, "merge"});
      device.facts.push_back({"run_started_at", result.run.started_at, "merge"});
      device.facts.insert(device.facts.end(), result.run.facts.begin(), result.run.facts.end());
      renamed[old] = device.id;
      merged.devices.push_back(std::move(device));
    }
    for (const auto& [name, build] : result.workers) {
      merged.workers.emplace_back(unique_name(name, host, worker_owners, worker_names), build);
    }
    append_rows(merged.ceilings, result.ceilings, renamed);
    append_rows(merged.curves, result.curves, renamed);
    append_rows(merged.points, result.points, renamed);
    for (const auto& note : result.notes) merged.notes.push_back(fmt::format("{}: {}", host, note));
  }
  merged.run.hostname = fmt::format("{}", fmt::join(hosts, ","));
  merged.notes.push_back(fmt::format("merged from {} results", results.size()));
  return merged;
}

}  // namespace gable::result
