#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/device/device_parts.hpp"
#include "core/worker/concurrent_group.hpp"
#include "core/worker/drive.hpp"

namespace gable::worker {
namespace {

constexpr const char* concurrent_fact = "measured together with";

/// Names on a device those that took part beside it. A run that goes on has them in its journal.
void name_others(DeviceInfo& device, const std::vector<std::string>& devices) {
  if (std::ranges::count(device.facts, concurrent_fact, &Fact::name) > 0) return;
  std::vector<std::string> others = devices;
  std::erase(others, device.id);
  device.facts.push_back({concurrent_fact, fmt::format("{}", fmt::join(others, ", ")), "--concurrent"});
}

bool measured(const Outcome& outcome) { return !outcome.rows.empty() && status_of(outcome.rows.front()) == Status::ok; }

void shuffle(std::vector<const ConcurrentGroup*>& groups, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::shuffle(groups.begin(), groups.end(), random);
}

}  // namespace

Request RunDriver::request_of(const DeviceInfo& device) const {
  Request request = request_;
  if (request_.concurrent && !is_part(device)) request.scope = Scope::node;
  return request;
}

std::vector<ConcurrentGroup> RunDriver::groups() const {
  std::vector<DevicePlan> plans;
  for (const OpenedDevice& opened : devices_) plans.push_back({opened.device, opened.items.items});
  return concurrent_groups(plans);
}

void RunDriver::keep_concurrent_items() {
  std::set<std::string> keys;
  std::vector<std::string> devices;
  for (const OpenedDevice& opened : devices_) devices.push_back(opened.device.id);
  for (const ConcurrentGroup& group : groups()) {
    for (const ConcurrentGroup::Member& member : group.members) {
      for (const ItemInfo* item : {&member.alone, &member.together})
        keys.insert(journal_key(devices[member.device], item->id()));
    }
  }
  plan_only(std::move(keys));
  for (OpenedDevice& opened : devices_) {
    name_others(opened.device, devices);
    keep_planned(opened);
  }
}

/// Of one row of each device the alone ones first, then all together.
void RunDriver::measure_group(const ConcurrentGroup& group, int round, Drive& drive) {
  const OpenedDevice* missing = nullptr;
  for (const ConcurrentGroup::Member& member : group.members) {
    OpenedDevice& opened = devices_[member.device];
    if (!drive.done(opened, member.alone, round)) measure(opened, {&member.alone, 1}, round, drive);
    if (failed(drive.of(opened, member.alone)) || failed(drive.of(opened, member.together))) missing = &opened;
  }
  const auto skip = [&](OpenedDevice& opened, const ItemInfo& item, const std::string& who) {
    const std::string reason = fmt::format("{} was not at work at the same time: see its rows", who);
    record(opened, item, {without_figure(item.planned, Status::skipped, reason)}, round, drive);
  };
  if (missing) {
    for (const ConcurrentGroup::Member& member : group.members) {
      OpenedDevice& opened = devices_[member.device];
      if (drive.of(opened, member.together).empty()) skip(opened, member.together, missing->device.id);
    }
    return;
  }
  const bool all_done = std::ranges::all_of(group.members, [&](const ConcurrentGroup::Member& member) {
    return drive.done(devices_[member.device], member.together, round);
  });
  if (all_done) return;
  std::vector<Participant> participants;
  for (const ConcurrentGroup::Member& member : group.members)
    participants.push_back({&devices_[member.device].session, member.together});
  drive.watcher.begun(group.members.front().together);
  auto outcomes = measure_together(participants);
  std::string who;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!measured(outcomes[i])) who = devices_[group.members[i].device].device.id;
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    OpenedDevice& opened = devices_[group.members[i].device];
    const ItemInfo& item = group.members[i].together;
    Outcome& outcome = outcomes[i];
    const bool recorded = drive.done(opened, item, round);  // of a run that goes on
    if (outcome.lost) {
      note_loss(opened, item, outcome.failure, drive);
      drive.watcher.note(fmt::format("{}: {}; going on with a new worker", item.id(), outcome.failure));
      if (!recorded) record(opened, item, {without_figure(item.planned, Status::error, outcome.failure)}, round, drive);
    } else if (measured(outcome) && !outcome.simultaneous) {
      if (!recorded) skip(opened, item, who.empty() ? "another device" : who);
    } else if (!recorded) {
      record(opened, item, std::move(outcome.rows), round, drive);
    }
    if (!outcome.failure.empty()) restart(opened, drive);
  }
}

void RunDriver::measure_groups(std::vector<const ConcurrentGroup*> todo, int round, Drive& drive) {
  if (round > 0) shuffle(todo, drive.rounds.seed + static_cast<std::uint64_t>(round));
  std::size_t rows = 0;
  for (const ConcurrentGroup* group : todo) rows += 2 * group->members.size();
  drive.watcher.round(round + 1, drive.rounds.count, static_cast<int>(rows));
  for (const ConcurrentGroup* group : todo) measure_group(*group, round, drive);
}

void RunDriver::measure_groups(Drive& drive) {
  const auto& rounds = drive.rounds;
  const std::vector<ConcurrentGroup> all = groups();
  const auto left = [&](const ConcurrentGroup& group, int round) {
    return std::ranges::any_of(group.members, [&](const ConcurrentGroup::Member& member) {
      const OpenedDevice& opened = devices_[member.device];
      return !drive.done(opened, member.alone, round) || !drive.done(opened, member.together, round);
    });
  };
  double planned_s = 0;
  for (const ConcurrentGroup& group : all) planned_s += rounds.count * group.expected_s();
  for (int round = 0; round < rounds.count; ++round) {
    std::vector<const ConcurrentGroup*> todo;
    for (const ConcurrentGroup& group : all) {
      if (left(group, round)) todo.push_back(&group);
    }
    if (!todo.empty()) measure_groups(std::move(todo), round, drive);
  }
  if (!rounds.doubtful) return;
  double left_s = rounds.retry_budget_s.value_or(rounds.further * planned_s);
  for (int round = rounds.count; round < rounds.count + most_further && left_s > 0; ++round) {
    Result now;
    for (const OpenedDevice& opened : devices_) {
      now.devices.push_back(opened.device);
      add_rows(now, drive.rows(opened));
    }
    const Doubtful doubtful = rounds.doubtful(now);
    const auto is_doubtful = [&](const ItemInfo& item) {
      return doubtful.without_figure.contains(item.id()) || doubtful.imprecise.contains(item.id());
    };
    std::vector<const ConcurrentGroup*> todo;
    bool in_this_round = false;  // of a run that goes on
    double expected_s = 0;
    for (const ConcurrentGroup& group : all) {
      const bool broken = std::ranges::any_of(group.members, [&](const ConcurrentGroup::Member& member) {
        const OpenedDevice& opened = devices_[member.device];
        return failed(drive.of(opened, member.alone)) || failed(drive.of(opened, member.together));
      });
      const bool wanted = !broken && std::ranges::any_of(group.members, [&](const ConcurrentGroup::Member& member) {
        return is_doubtful(member.alone) || is_doubtful(member.together);
      });
      const bool done = wanted && !left(group, round);
      in_this_round = in_this_round || done;
      if (!wanted || done || expected_s + group.expected_s() > left_s) continue;
      expected_s += group.expected_s();
      todo.push_back(&group);
    }
    if (todo.empty() && in_this_round) continue;
    if (todo.empty()) return;
    const auto start = std::chrono::steady_clock::now();
    measure_groups(std::move(todo), round, drive);
    left_s -= std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
}

}  // namespace gable::worker
