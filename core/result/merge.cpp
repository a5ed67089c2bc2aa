#include "core/result/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/result/anonymous.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/json.hpp"

namespace gable::result {
namespace {

bool same_level(const MemoryLevel& a, const MemoryLevel& b) {
  return a.name == b.name && a.size_bytes == b.size_bytes && a.instances == b.instances && a.shared_by == b.shared_by &&
         a.unequal == b.unequal;
}

/// Empty where the device tells none.
std::string uuid_of(const DeviceInfo& device) {
  const std::string uuid = value_of_fact(device.facts, "UUID");
  return uuid == "unknown" ? "" : uuid;
}

/// Two cards of one make are two devices.
bool other_uuid(const DeviceInfo& a, const DeviceInfo& b) {
  const std::string of_a = uuid_of(a), of_b = uuid_of(b);
  return !of_a.empty() && !of_b.empty() && of_a != of_b;
}

}  // namespace

bool same_device(const DeviceInfo& a, const DeviceInfo& b) {
  return a.id == b.id && a.backend == b.backend && a.name == b.name && a.vendor == b.vendor &&
         a.microarchitecture == b.microarchitecture && a.isa == b.isa && a.sockets == b.sockets && a.cores == b.cores &&
         a.threads == b.threads && std::ranges::equal(a.memory, b.memory, same_level) && !other_uuid(a, b);
}

std::map<Scope, int> threads_of(const Result& result, const std::string& device) {
  std::map<Scope, int> threads;
  const auto note = [&](const auto& row) {
    if (row.device == device && row.threads > 0) threads[row.scope] = std::max(threads[row.scope], row.threads);
  };
  for_each_row(result, note);
  return threads;
}

namespace {

using Count = std::map<std::string, int>;

/// The name itself where only one owner has it; else with its host, and a number where the host repeats.
std::string unique_name(const std::string& name, const std::string& host, const Count& owners,
                        std::set<std::string>& taken) {
  std::string candidate = owners.at(name) > 1 ? fmt::format("{}:{}", host, name) : name;
  const std::string base = candidate;
  for (int number = 2; !taken.insert(candidate).second; ++number) candidate = fmt::format("{}#{}", base, number);
  return candidate;
}

/// One device of the merged result: of one result, or of several that measured it alike.
struct Joined {
  std::string host;
  std::set<std::string> files, roofs_files;  ///< without folders; where its runs' roofs are from
  DeviceInfo device;
  std::map<Scope, int> threads;      ///< of its rows, the most at each scope
  std::set<std::string> roofs;       ///< ids of its rows that tell of the machine: all but operators
  std::vector<std::size_t> members;  ///< results, in order
};

std::string without_folders(const std::string& path) { return std::filesystem::path(path).filename().string(); }

Joined single(const Result& result, std::size_t index, const DeviceInfo& device, const std::string& file) {
  const std::string roofs = without_folders(value_of_fact(result.run.facts, roofs_fact));
  Joined one{result.run.hostname, {without_folders(file)}, {roofs}, device, threads_of(result, device.id), {}, {index}};
  for (auto* names : {&one.files, &one.roofs_files}) names->erase("");
  for_each_row(result, [&]<class T>(const T& row) {
    if (row.device == device.id && !std::is_same_v<T, Point>) one.roofs.insert(row.id);
  });
  return one;
}

/// Measured alike on one machine, and no ceiling twice: two calibrations are two series.
bool belongs_to(const Joined& one, const Joined& known) {
  const bool measured_alike = one.threads.empty() || known.threads.empty() || one.threads == known.threads;
  const auto there = [&](const std::string& id) { return known.roofs.contains(id); };
  const auto meet = [](const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
  };
  const bool linked = meet(one.roofs_files, known.files) || meet(one.files, known.roofs_files) ||
                      meet(one.roofs_files, known.roofs_files);  // of anonymous files, whose host tells nothing
  const bool one_host = same_host(one.host, known.host) || (one.host == known.host && linked);
  return one_host && same_device(one.device, known.device) && measured_alike && std::ranges::none_of(one.roofs, there);
}

std::vector<Joined> joined_devices(std::span<const Result> results, std::span<const std::string> files) {
  std::vector<Joined> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (const DeviceInfo& device : results[i].devices) {
      Joined one = single(results[i], i, device, files.empty() ? "" : files[i]);
      const auto fits = [&](const Joined& known) { return known.members.back() != i && belongs_to(one, known); };
      const auto known = std::ranges::find_if(all, fits);
      if (known == all.end()) {
        all.push_back(std::move(one));
        continue;
      }
      known->members.push_back(i);
      known->threads.merge(one.threads);
      known->roofs.merge(one.roofs);
      known->files.merge(one.files);
      known->roofs_files.merge(one.roofs_files);
    }
  }
  return all;
}

/// The device's rows, under its new name. An id that a list already has for it gets a number.
void append_rows(Result& to, const Result& from, const std::string& old_device, const std::string& device) {
  for_each_row_list(from, [&]<class T>(const std::vector<T>& rows) {
    std::vector<T>& list = rows_of<T>(to);
    std::set<std::string> taken;
    for (const T& row : list) {
      if (row.device == device) taken.insert(row.id);
    }
    for (T row : rows) {
      if (row.device != old_device) continue;
      row.device = device;
      const std::string base = row.id;
      for (int number = 2; taken.contains(row.id); ++number) row.id = fmt::format("{}#{}", base, number);
      list.push_back(std::move(row));
    }
  });
}

void append_run(RunInfo& to, const RunInfo& from) {
  to.started_at = std::min(to.started_at, from.started_at);  // ISO 8601 in UTC sorts by time
  to.finished_at = std::max(to.finished_at, from.finished_at);
  to.complete = to.complete && from.complete;
  if (to.mode != from.mode) to.mode = Mode::quick;  // a mix is not a full measurement
  to.resumed += from.resumed;
  if (to.os != from.os) to.os.clear();
  if (to.kernel != from.kernel) to.kernel.clear();
}

void append_devices(Result& merged, std::span<const Result> results, std::span<const std::string> files) {
  auto all = joined_devices(results, files);
  Count owners;
  for (const Joined& one : all) ++owners[one.device.id];
  std::set<std::string> taken;
  for (Joined& one : all) {
    const std::string old = std::exchange(one.device.id, unique_name(one.device.id, one.host, owners, taken));
    const auto add = [&](const char* name, const std::string& value) {
      one.device.facts.push_back({name, value, std::string(merge_source)});
    };
    add("host", one.host);
    for (const std::size_t member : one.members) {
      const Result& result = results[member];
      if (!files.empty()) add("file", files[member]);
      add("run_started_at", result.run.started_at);
      add("run_mode", std::string(to_string(result.run.mode)));
      one.device.facts.insert(one.device.facts.end(), result.run.facts.begin(), result.run.facts.end());
      append_rows(merged, result, old, one.device.id);
    }
    merged.devices.push_back(std::move(one.device));
  }
}

/// Each worker of each host once, unless it was built anew in between.
void append_workers(Result& merged, std::span<const Result> results) {
  struct Worker {
    std::string host, name;
    const Build* build;
  };
  std::vector<Worker> all;
  Count owners;
  for (const auto& result : results) {
    for (const auto& [name, build] : result.workers) {
      const Worker one{result.run.hostname, name, &build};
      const auto same = [&](const Worker& known) {
        return known.host == one.host && known.name == one.name && to_json(*known.build) == to_json(*one.build);
      };
      if (std::ranges::any_of(all, same)) continue;
      all.push_back(one);
      ++owners[name];
    }
  }
  std::set<std::string> taken;
  for (const Worker& one : all) {
    merged.workers.emplace_back(unique_name(one.name, one.host, owners, taken), *one.build);
  }
}

/// A row whose device is not there would be lost.
void demand_devices(const Result& result) {
  const auto demand = [&](const auto& row) {
    if (std::ranges::count(result.devices, row.device, &DeviceInfo::id) == 0)
      throw Error(fmt::format("row '{}' refers to device '{}', which is not in its result", row.id, row.device));
  };
  for_each_row(result, demand);
}

}  // namespace

Result merge(std::span<const Result> results, std::span<const std::string> files) {
  if (results.empty()) throw Error("no result to merge");
  if (results.size() == 1) return results.front();
  Result merged;
  merged.build = results.front().build;
  merged.run = results.front().run;
  merged.run.resumed = 0;
  merged.run.facts.clear();
  std::set<std::string> hosts;
  for (const auto& result : results) {
    demand_devices(result);
    hosts.insert(result.run.hostname);
    append_run(merged.run, result.run);
    for (const auto& note : result.notes) merged.notes.push_back(fmt::format("{}: {}", result.run.hostname, note));
  }
  append_devices(merged, results, files);
  append_workers(merged, results);
  merged.run.hostname = fmt::format("{}", fmt::join(hosts, ","));
  merged.notes.push_back(fmt::format("merged from {} results", results.size()));
  return merged;
}

}  // namespace gable::result
