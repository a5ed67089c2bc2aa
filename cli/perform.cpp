#include "cli/perform.hpp"

#include <errno.h>  // program_invocation_name
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "cli/command.hpp"
#include "cli/other_runs.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/measure/disturbance.hpp"
#include "core/render/row_outcome.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/journal.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/roofs.hpp"
#include "core/verdict/suspicion.hpp"
#include "core/worker/borrowed_roofs.hpp"
#include "core/worker/run_driver.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

std::vector<worker::Session> start_workers(Result& result) {
  std::vector<worker::StartProblem> problems;
  auto sessions = worker::start_sessions(problems);
  std::vector<std::string> texts;
  for (const auto& problem : problems) texts.push_back(to_string(problem));
  if (sessions.empty()) {
    throw Error(texts.empty() ? fmt::format("no worker gable-worker-* found {}", worker::worker_folders())
                              : fmt::format("no worker starts; {}", fmt::join(texts, "; ")));
  }
  for (const std::string& text : texts) {
    say(fmt::format("note: {}\n", printable(text)));
    // the journal of a resumed run may have it already
    if (std::ranges::count(result.notes, text) == 0) result.notes.push_back(text);
  }
  return sessions;
}

/// Reads the plan from the journal, and locks the journal for this process.
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
    task.request = worker::request_from_json(parse_json(before.request));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: request: {}", path.string(), error.what()));
  }
  if (command_of(parts) == command_of(task.request)) return journal;
  throw Error(fmt::format("--resume: that run was begun by 'gable {}'", command_of(task.request)));
}

/// What the journal has of a device that could not be opened when its run began; null for others.
const std::vector<result::RoundRows>* left_out(const result::JournalContent& before, const DeviceInfo& device,
                                               const Request& request) {
  const auto found = before.items.find(worker::journal_key(device.id, worker::opening_row(device, request).id));
  return found == before.items.end() ? nullptr : &found->second;
}

/// Those of a journal that could be opened when its run began.
std::vector<DeviceInfo> devices_to_resume(const result::JournalContent& before, const Request& request) {
  std::vector<DeviceInfo> devices = before.header.devices;
  std::erase_if(devices, [&](const DeviceInfo& device) { return left_out(before, device, request) != nullptr; });
  return devices;
}

void check_output(const Task& task) {
  refuse_inputs("output", task.output, task.roofs, "--roofs");
  result::check_writable(task.output);
  if (!task.force && fs::exists(task.output))
    throw Error(fmt::format("'{}' exists; name another --output or add --force", task.output.string()));
  result::Journal::check_free(journal_path(task.output), task.force);
}

/// A new run has a row for a device that is left out. A resumed run must have every device of its journal.
void check_opened(const worker::RunDriver& driver, const Task& task) {
  if (driver.failures().empty() || (!task.resume && !driver.devices().empty())) return;
  const auto& [device, reason] = driver.failures().front();
  throw Error(fmt::format("{}: {}{}", device.id, reason, task.resume ? "; the journal is kept" : ""));
}

/// Files of --roofs; without the option a resumed run takes those that it began with.
std::vector<NamedResult> read_roofs(const Task& task, const Result& begun) {
  auto files = task.roofs;
  for (const Fact& fact : begun.run.facts) {
    if (task.roofs.empty() && fact.name == roofs_fact) files.push_back(fact.value);
  }
  std::vector<NamedResult> sources;
  for (const std::string& file : files) sources.push_back({file, result::load(file)});
  return sources;
}

void note_roofs(const std::vector<NamedResult>& roofs, RunInfo& run) {
  std::erase_if(run.facts, [](const Fact& fact) { return fact.name == roofs_fact; });
  for (const NamedResult& source : roofs) run.facts.push_back({std::string(roofs_fact), source.name, "command line"});
}

/// Fills in what is known of a run before its first row.
void describe(const Task& task, const worker::RunDriver& driver, Result& result) {
  result.build = result::this_build();
  result.run = result::begin_run(task.command_line, task.request.mode);
  if (!task.request.experiment.empty())
    result.run.facts.push_back({std::string(experiment_fact), task.request.experiment, "command line"});
  result.run.facts.insert(result.run.facts.end(), task.facts.begin(), task.facts.end());
  for (const auto& opened : driver.devices()) {
    result.devices.push_back(opened.device);
    const auto& hello = opened.session.hello();
    // one worker measures all devices of its backend
    if (std::ranges::count(result.workers, hello.worker, &std::pair<std::string, Build>::first) == 0)
      result.workers.emplace_back(hello.worker, hello.build);
  }
  for (const auto& failure : driver.failures()) result.devices.push_back(failure.device);
}

/// Keeps it as a fact of the run, and prints it if it is large enough to matter.
void tell(const measure::StolenShare& stolen, Result& result, Progress& progress) {
  constexpr double felt = 0.01;
  const auto share = stolen.since();
  if (!share) return;
  result.run.facts.push_back({"CPU time stolen", fmt::format("{:.1f} %", 100 * *share), "/proc/stat"});
  if (*share > felt)
    progress.note(fmt::format("a hypervisor took {:.1f} % of the CPUs' time during this run", 100 * *share));
}

void tell(const OtherRuns& others, Result& result) {
  const std::string note = "another gable measured on this machine at the same time: each makes the other slower";
  if (others.seen() && std::ranges::count(result.notes, note) == 0) result.notes.push_back(note);
}

worker::Rounds planned_rounds(const Task& task) {
  worker::Rounds rounds = worker::rounds_of(task.request.mode);
  if (task.request.concurrent) rounds.of_a_long_item = rounds.count;  // alone and together in the same rounds
  return rounds;
}

/// `borrowed` must outlive it.
worker::Rounds rounds_of(const Task& task, std::span<const Ceiling> borrowed) {
  if (task.request.exact_runs > 0) return {.count = 1, .retry_budget_s = 0};
  worker::Rounds rounds = planned_rounds(task);
  rounds.retry_budget_s = task.retry_budget_s;
  rounds.doubtful = [mode = task.request.mode, borrowed](const Result& result) {
    return worker::doubtful_rows(result, mode, borrowed);
  };
  return rounds;
}

/// Samples are only needed to combine rounds.
void drop_samples(Result& result) {
  for (Ceiling& row : result.ceilings) row.value.taken.clear();
  for (Point& row : result.points) row.time.taken.clear();
}

/// Judges a complete result, saves and prints it. Returns the exit code.
int finish(const Task& task, const worker::BorrowedRoofs& borrowed, Result& result, const Shown& shown) {
  drop_samples(result);
  verdict::mark_suspects(result);
  set_verdicts(result, borrowed.ceilings);
  for (const std::string& note : borrowed.notes) {
    if (std::ranges::count(result.notes, note) == 0) result.notes.push_back(note);
  }
  result::fail_impossible(result);
  result::finish_run(result.run);
  result.run.complete = true;
  result::save(result, task.output);
  const auto counts = render::count_rows(result);
  if (!task.quiet) {
    fmt::print("{}", shown(result));
    const std::string last =
        fmt::format("{}\nresult: {}\n", render::counts_text(counts), printable(task.output.string()));
    if (task.form == render::AnswerForm::text)
      fmt::print("\n{}", last);
    else
      say(last);
  }
  const Status as_hoped = task.request.exact_runs > 0 ? Status::suspect : Status::ok;
  const bool nothing = !counts.empty() && !counts.contains(as_hoped) && !counts.contains(Status::unsupported);
  return nothing || counts.contains(Status::error) ? exit_failed_rows : exit_ok;
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
  const auto roofs = read_roofs(task, result);
  worker::watch_interrupts();
  auto driver = task.resume
                    ? worker::RunDriver(start_workers(result), devices_to_resume(before, task.request), task.request)
                    : worker::RunDriver(start_workers(result), task.devices, task.request);
  driver.open();
  check_opened(driver, task);
  if (task.list_only) {
    const auto left = driver.left_to_measure(before.items, planned_rounds(task));
    fmt::print("{}", render::write(left, task.form));
    return exit_ok;
  }
  if (task.resume)
    driver.check_same_builds(before.header);
  else
    describe(task, driver, result);
  note_roofs(roofs, result.run);
  const auto borrowed = worker::borrow_roofs(roofs, result, task.request.scope, task.request.threads);
  if (task.resume) {
    journal->add_resumed();
    ++result.run.resumed;
    for (const DeviceInfo& device : result.devices) {
      if (const auto* found = left_out(before, device, task.request)) worker::add_rows(result, found->back().rows);
    }
  } else {
    journal = result::Journal::create(journal_path(task.output), result,
                                      dump_json(worker::request_to_json(task.request), -1), task.force);
  }
  Progress progress(task.quiet);
  const worker::Rounds rounds = rounds_of(task, borrowed.ceilings);
  const measure::StolenShare stolen;
  const OtherRuns others;
  try {
    driver.run(std::move(before.items), rounds, *journal, result, progress);
    progress.end();
  } catch (const worker::InterruptedError&) {
    progress.end();
    const std::string again = task.resume_command.empty()
                                  ? fmt::format("{} {} --resume {}", printable(program_invocation_name),
                                                command_of(task.request), printable(task.output.string()))
                                  : task.resume_command;
    say(fmt::format("note: interrupted; what was measured is kept: go on with {}\n", again));
    return exit_interrupted;
  }
  tell(stolen, result, progress);
  tell(others, result);
  const int code = finish(task, borrowed, result, shown);
  journal->discard();
  return code;
}

/// What the journal of a run of --remeasure has for its request: such a run begins anew, and never goes on.
constexpr const char* again_request = "{}";

/// Whether the journal is one that a killed run of --remeasure left.
bool is_left_over(const std::filesystem::path& path) {
  return std::filesystem::exists(path) && result::read_journal(path).request == again_request;
}

int measure_again(Task& task, const Shown& shown) {
  Result result = result::load(task.output);
  const auto keys = worker::without_figure(result);
  if (keys.empty()) {
    if (!task.quiet) say(fmt::format("every row of {} has a figure\n", printable(task.output.string())));
    return exit_ok;
  }
  result::check_writable(task.output);
  const auto roofs = read_roofs(task, result);
  worker::watch_interrupts();
  worker::RunDriver driver(start_workers(result), result.devices, task.request);
  driver.plan_only(keys);
  driver.open();
  if (!driver.failures().empty()) throw Error(driver.failures().front().reason);
  driver.check_same_builds(result);
  if (task.list_only) {
    fmt::print("{}", render::write(driver.left_to_measure({}, planned_rounds(task)), task.form));
    return exit_ok;
  }
  const auto borrowed = worker::borrow_roofs(roofs, result, task.request.scope, task.request.threads);
  const bool replaces = is_left_over(journal_path(task.output));
  auto journal = result::Journal::create(journal_path(task.output), result, again_request, replaces);
  Result fresh;
  Progress progress(task.quiet);
  const measure::StolenShare stolen;
  const OtherRuns others;
  try {
    driver.run({}, rounds_of(task, borrowed.ceilings), journal, fresh, progress);
    progress.end();
  } catch (const worker::InterruptedError&) {
    journal.discard();
    progress.end();
    say(fmt::format("note: interrupted; {} is as before\n", printable(task.output.string())));
    return exit_interrupted;
  } catch (...) {
    journal.discard();
    throw;
  }
  tell(stolen, result, progress);
  tell(others, result);
  drop_samples(fresh);
  verdict::mark_suspects(fresh);
  const int replaced = worker::replace_rows(result, fresh);
  result.notes.insert(result.notes.end(), fresh.notes.begin(), fresh.notes.end());
  result.notes.push_back(fmt::format("{}: measured again: {} of {} rows without a figure have one now",
                                     result::utc_now(), replaced, keys.size()));
  const int code = finish(task, borrowed, result, shown);
  journal.discard();
  return code;
}

}  // namespace

fs::path journal_path(const fs::path& output) { return output.string() + ".journal"; }

int perform(Task& task, const Shown& shown) {
  try {
    return task.remeasure ? measure_again(task, shown) : carry_out(task, shown);
  } catch (const worker::InterruptedError&) {
    say(task.resume ? "interrupted; the journal is as before\n" : "interrupted before anything was measured\n");
    return exit_interrupted;
  }
}

}  // namespace gable::cli
