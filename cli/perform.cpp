#include "cli/perform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "core/analysis/place.hpp"
#include "core/error.hpp"
#include "core/result/journal.hpp"
#include "core/result/json.hpp"
#include "core/result/parse.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/result/suspicion.hpp"
#include "core/worker/campaign.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

fs::path journal_path(const fs::path& output) { return output.string() + ".journal"; }

std::vector<worker::Session> start_workers(Result& result) {
  std::vector<std::string> problems;
  auto sessions = worker::start_sessions(problems);
  if (sessions.empty()) {
    throw Error(problems.empty() ? fmt::format("no worker gable-worker-* found {}", worker::worker_folders())
                                 : fmt::format("no worker starts; {}", fmt::join(problems, "; ")));
  }
  for (const std::string& problem : problems) {
    say(fmt::format("note: {}\n", problem));
    // a journal that is gone on with may have it already
    if (std::ranges::count(result.notes, problem) == 0) result.notes.push_back(problem);
  }
  return sessions;
}

/// The items that `done` does not hold, with the seconds of all their rounds.
void print_list(const worker::Campaign& campaign, const worker::Campaign::Visits& done, int rounds) {
  for (const auto& station : campaign.stations()) {
    fmt::print("{}: {}\n", station.device.id, station.device.name);
    for (const auto& item : station.items.items) {
      const auto seen = done.find(worker::journal_key(station.device.id, item.id));
      const int visits = seen == done.end() ? 0 : static_cast<int>(seen->second.size());
      if (visits > 0 && (item.expected_s <= 0 || visits >= rounds)) continue;
      fmt::print("  {:<72} {:.1f} s\n", item.id, item.expected_s * (rounds - visits));
    }
  }
}

std::string command_of(const Request& parts) {
  if (!parts.experiment.empty()) return "experiment " + parts.experiment;
  if (parts.ceilings && parts.points) return "measure";
  return parts.ceilings ? "calibrate" : "run";
}

/// Takes the plan from the journal, and the journal for this process.
result::Journal reopen(Task& task, result::JournalContent& before) {
  const fs::path path = journal_path(task.output);
  if (!fs::exists(path)) {
    throw Error(
        fmt::format("--resume: no journal '{}'{}", path.string(),
                    fs::exists(task.output)
                        ? fmt::format("; '{}' is there: its run is complete, or never began here", task.output.string())
                        : ""));
  }
  result::check_writable(task.output);
  auto journal = result::Journal::reopen(path, before);
  const Request parts = task.request;
  try {
    task.request = worker::request_from_json(result::parse_json(before.request));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: request: {}", path.string(), error.what()));
  }
  if (command_of(parts) == command_of(task.request)) return journal;
  throw Error(fmt::format("--resume: that run was begun by 'gable {}'", command_of(task.request)));
}

/// Those of a journal that could be opened when its run began.
std::vector<DeviceInfo> devices_to_resume(const result::JournalContent& before) {
  std::vector<DeviceInfo> devices = before.header.devices;
  std::erase_if(devices, [&](const DeviceInfo& device) {
    return before.items.contains(worker::journal_key(device.id, std::string(worker::open_item)));
  });
  return devices;
}

void check_output(const Task& task) {
  result::check_writable(task.output);
  if (!task.force && fs::exists(task.output))
    throw Error(fmt::format("'{}' exists; name another --output or add --force", task.output.string()));
  result::Journal::check_free(journal_path(task.output), task.force);
}

/// A result names one build of each worker: rows of two would be told under one.
void check_same_builds(const Result& header, const worker::Campaign& campaign) {
  for (const auto& station : campaign.stations()) {
    const auto& hello = station.session.hello();
    const auto known = std::ranges::find(header.workers, hello.worker, &std::pair<std::string, Build>::first);
    if (known != header.workers.end() && result::to_json(known->second) == result::to_json(hello.build)) continue;
    throw Error(
        fmt::format("--resume: this {} is another build than the one that began; the journal is kept", hello.worker));
  }
}

/// What is left out of a new run is a row; a run that goes on must not end without what its journal began.
void check_opened(const worker::Campaign& campaign, const Task& task) {
  if (campaign.failures().empty() || (!task.resume && !campaign.stations().empty())) return;
  const auto& [device, reason] = campaign.failures().front();
  throw Error(fmt::format("{}: {}{}", device.id, reason, task.resume ? "; the journal is kept" : ""));
}

result::Journal begin(const Task& task, const worker::Campaign& campaign, Result& result) {
  result.build = result::this_build();
  result.run = result::begin_run(task.command_line, task.request.mode);
  if (!task.request.experiment.empty())
    result.run.facts.push_back({std::string(experiment_fact), task.request.experiment, "command line"});
  for (const auto& station : campaign.stations()) {
    result.devices.push_back(station.device);
    result.workers.emplace_back(station.session.hello().worker, station.session.hello().build);
  }
  for (const auto& failure : campaign.failures()) result.devices.push_back(failure.device);
  return result::Journal::create(journal_path(task.output), result, worker::request_to_json(task.request).dump(),
                                 task.force);
}

/// Rows by outcome.
std::map<Status, std::size_t> count_rows(const Result& result) {
  std::map<Status, std::size_t> counts;
  const auto count = [&](const auto& rows) {
    for (const auto& row : rows) ++counts[row.status];
  };
  count(result.ceilings);
  count(result.curves);
  count(result.points);
  return counts;
}

/// "rows: 41 ok, 12 unsupported, 1 skipped"
std::string summary(const std::map<Status, std::size_t>& counts) {
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [status, count] : counts) parts.push_back(fmt::format("{} {}", count, to_string(status)));
  return fmt::format("rows: {}", parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", ")));
}

/// Rows that end without a good figure: those of a run that asks for a further round.
std::set<std::string> doubtful_rows(Result result, Mode mode) {
  result::mark_suspects(result);
  analysis::place_points(result);
  std::set<std::string> ids;
  const auto add = [&](const auto& rows) {
    for (const auto& row : rows) {
      if (worker::wants_another_round(row, mode)) ids.insert(row.id);
    }
  };
  add(result.ceilings);
  add(result.curves);
  add(result.points);
  return ids;
}

worker::Rounds rounds_of(const Task& task) {
  worker::Rounds rounds = worker::rounds_of(task.request.mode);
  rounds.retry_budget_s = task.retry_budget_s;
  rounds.doubtful = [mode = task.request.mode](const Result& result) { return doubtful_rows(result, mode); };
  return rounds;
}

int carry_out(Task& task, const Shown& shown) {
  Result result;
  result::JournalContent before;
  std::optional<result::Journal> journal;
  if (task.resume) {
    journal = reopen(task, before);
    result = before.header;
  } else if (!task.list_only) {
    check_output(task);
  }
  worker::watch_interrupts();
  auto campaign = task.resume ? worker::Campaign(start_workers(result), devices_to_resume(before), task.request)
                              : worker::Campaign(start_workers(result), task.devices, task.request);
  campaign.open();
  check_opened(campaign, task);
  const worker::Rounds rounds = rounds_of(task);
  if (task.list_only) {
    print_list(campaign, before.items, rounds.count);
    return exit_ok;
  }
  if (task.resume) {
    check_same_builds(before.header, campaign);
    journal->add_resumed();
    ++result.run.resumed;
    for (const DeviceInfo& device : result.devices) {
      const auto lost = before.items.find(worker::journal_key(device.id, std::string(worker::open_item)));
      if (lost != before.items.end()) worker::add_rows(result, lost->second.back().rows);
    }
  } else {
    journal = begin(task, campaign, result);
  }
  Progress progress;
  try {
    campaign.run(std::move(before.items), rounds, *journal, result, progress);
  } catch (const worker::InterruptedError&) {
    progress.note(fmt::format("interrupted; what was measured is kept: go on with gable {} --resume {}",
                              command_of(task.request), task.output.string()));
    return exit_interrupted;
  }
  for (Ceiling& row : result.ceilings) row.value.taken.clear();
  for (Point& row : result.points) row.time.taken.clear();
  result::mark_suspects(result);
  analysis::place_points(result);
  result::finish_run(result.run);
  result.run.complete = true;
  result::save(result, task.output);
  journal->discard();
  const auto counts = count_rows(result);
  fmt::print("{}\n", shown(result));
  const std::string last = fmt::format("{}\nresult: {}\n", summary(counts), task.output.string());
  if (task.bare)
    say(last);
  else
    fmt::print("{}", last);
  const bool nothing = !counts.empty() && !counts.contains(Status::ok) && !counts.contains(Status::unsupported);
  return nothing || counts.contains(Status::error) ? exit_failed_rows : exit_ok;
}

}  // namespace

int perform(Task& task, const Shown& shown) {
  try {
    return carry_out(task, shown);
  } catch (const worker::InterruptedError&) {
    say(task.resume ? "interrupted; the journal is as before\n" : "interrupted before anything was measured\n");
    return exit_interrupted;
  }
}

}  // namespace gable::cli
