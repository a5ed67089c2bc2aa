#include "cli/perform.hpp"

#include <errno.h>  // program_invocation_name
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/command.hpp"
#include "cli/other_runs.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/measure/disturbance.hpp"
#include "core/render/row_outcome.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/journal.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/sequence.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/roofs.hpp"
#include "core/verdict/soundness.hpp"
#include "core/worker/borrowed_roofs.hpp"
#include "core/worker/run_driver.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

std::vector<worker::Session> start_workers(Result& result) {
  std::vector<worker::StartProblem> problems;
  auto sessions = worker::start_sessions(problems);
  const auto texts = mapped(problems, [](const auto& problem) { return to_string(problem); });
  if (sessions.empty()) throw Error(fmt::format("no worker starts; {}", fmt::join(texts, "; ")));
  for (const std::string& text : texts) {
    say(fmt::format("note: {}\n", printable(text)));
    // the journal of a resumed run may have it already
    if (std::ranges::count(result.notes, text) == 0) result.notes.push_back(text);
  }
  return sessions;
}

/// What there is of a run that goes on; nothing of a new one.
struct Begun {
  Result result{};
  worker::MeasuredRounds rounds{};
  std::set<std::string> without_figure{};    ///< what --remeasure is for, by journal key
  std::optional<result::Journal> journal{};  ///< of --resume, locked for this process
};

/// Takes what a run was asked for when it was begun. Throws Error if that is not known, or was another command.
void take_request(Task& task, const Result& begun) {
  const char* option = task.remeasures() ? "--remeasure" : "--resume";
  if (!begun.request)
    throw Error(fmt::format("{}: '{}' does not say what was asked for", option,
                            task.remeasures() ? task.remeasured.string() : task.output.string()));
  if (command_of(task.request) != command_of(*begun.request))
    throw Error(fmt::format("{}: that run was begun by 'gable {}'", option, command_of(*begun.request)));
  task.request = *begun.request;
}

void reopen(const Task& task, Begun& begun) {
  const fs::path path = journal_path(task.output);
  if (!fs::exists(path)) {
    throw Error(
        fmt::format("--resume: no journal '{}'{}", path.string(),
                    fs::exists(task.output)
                        ? fmt::format("; '{}' is there: its run is complete, or never began here", task.output.string())
                        : ""));
  }
  result::check_writable(task.output);
  result::JournalContent content;
  begun.journal.emplace(result::Journal::reopen(path, content));
  if (content.header.run.complete)
    throw Error(fmt::format("--resume: '{}' was left by --remeasure, which begins anew", path.string()));
  begun.result = std::move(content.header);
  begun.rounds = std::move(content.items);
}

void check_output(const Task& task) {
  check_new_file("output", task.output, task.force);
  result::Journal::check_free(journal_path(task.output), task.force);
}

Begun read_begun(Task& task) {
  Begun begun;
  if (!task.goes_on()) {
    if (!task.list_only) check_output(task);
    return begun;
  }
  if (task.resume)
    reopen(task, begun);
  else
    begun.result = result::load(task.remeasured);
  take_request(task, begun.result);
  if (task.resume) return begun;
  if (task.request.concurrent || !task.request.experiment.empty())
    throw Error(fmt::format("--remeasure: '{}' was made with {}, whose rows belong together: run it anew",
                            task.remeasured.string(), task.request.concurrent ? "--concurrent" : "an experiment"));
  begun.without_figure = worker::without_figure(begun.result);
  if (task.output != task.remeasured && !task.list_only) check_output(task);
  result::check_writable(task.output);
  return begun;
}

/// What a journal has of a device that could not be opened when its run began; null for others.
const std::vector<result::RoundRows>* left_out(const Begun& begun, const DeviceInfo& device, const Request& request) {
  const auto found = begun.rounds.find(worker::journal_key(device.id, worker::opening_row(device, request).id));
  return found == begun.rounds.end() ? nullptr : &found->second;
}

/// A new run has a row for a device that is left out. One that goes on must have every device that it began with.
void check_opened(const worker::RunDriver& driver, const Task& task) {
  if (driver.failures().empty() || (!task.goes_on() && !driver.devices().empty())) return;
  const auto& [device, reason] = driver.failures().front();
  throw Error(fmt::format("{}: {}{}", device.id, reason, task.resume ? "; the journal is kept" : ""));
}

/// Files of --roofs; without the option a run that goes on takes those that it began with.
std::vector<NamedResult> read_roofs(const Task& task, const Result& begun) {
  auto files = task.roofs;
  for (const Fact& fact : begun.run.facts) {
    if (task.roofs.empty() && fact.name == roofs_fact) files.push_back(fact.value);
  }
  return mapped(files, [](const std::string& file) { return NamedResult{file, result::load(file)}; });
}

void note_roofs(const std::vector<NamedResult>& roofs, RunInfo& run) {
  std::erase_if(run.facts, [](const Fact& fact) { return fact.name == roofs_fact; });
  for (const NamedResult& source : roofs) run.facts.push_back({std::string(roofs_fact), source.name, "command line"});
}

/// Fills in what is known of a run before its first row.
void describe(const Task& task, const worker::RunDriver& driver, Result& result) {
  result.build = result::this_build();
  result.run = result::begin_run(task.command_line, task.request.mode);
  result.request = task.request;
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
worker::Rounds rounds_of(const Task& task, const worker::BorrowedRoofs& borrowed) {
  if (task.request.exact_runs > 0) return {.count = 1, .retry_budget_s = 0};
  worker::Rounds rounds = planned_rounds(task);
  rounds.retry_budget_s = task.retry_budget_s;
  rounds.doubtful = [mode = task.request.mode, &borrowed](const Result& result) {
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
  set_verdicts(result, borrowed.ceilings, borrowed.sweeps);
  for (const std::string& note : borrowed.notes) {
    if (std::ranges::count(result.notes, note) == 0) result.notes.push_back(note);
  }
  result::fail_impossible(result);
  const std::string held_back = render::held_back_text(result);
  if (!held_back.empty()) result.notes.push_back(held_back);
  result::finish_run(result.run);
  result.run.complete = true;
  result::save(result, task.output, {}, task.force || task.goes_on());  // else the journal is kept
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
  if (!held_back.empty()) say(fmt::format("note: {}\n", printable(held_back)));
  return nothing || counts.contains(Status::error) || !held_back.empty() ? exit_failed_rows : exit_ok;
}

/// One result is of one machine. Throws Error where the run was begun on another, or under another kernel; of a copy
/// without names (report --anonymous) it is not known.
void check_same_machine(const Task& task, const RunInfo& begun) {
  const RunInfo now = result::begin_run({}, task.request.mode);
  const auto check = [&](const char* what, const std::string& then, const std::string& here) {
    if (!then.empty() && !then.starts_with("anonymous") && then != here)
      throw Error(fmt::format("{}: it was begun on the {} '{}', and this is '{}': measure anew",
                              task.remeasures() ? "--remeasure" : "--resume", what, then, here));
  };
  check("host", begun.hostname, now.hostname);
  check("kernel", begun.kernel, now.kernel);
}

/// Says which variables that change figures are others than when the run was begun, and keeps it in the result.
void note_environment(Begun& begun) {
  const auto variables = [](const RunInfo& run) {
    std::map<std::string, std::string> values;
    for (const Fact& fact : run.facts) {
      if (fact.source == "environment") values.emplace(fact.name, fact.value);
    }
    return values;
  };
  const auto then = variables(begun.result.run), here = variables(result::begin_run({}, begun.result.run.mode));
  const auto words = [](const auto& values, const std::string& name) {
    return values.contains(name) ? fmt::format("'{}'", values.at(name)) : "not set";
  };
  auto names = then;
  names.insert(here.begin(), here.end());
  for (const auto& [name, value] : names) {
    const std::string note =
        fmt::format("{} was {} when the run began, and {} when it went on", name, words(then, name), words(here, name));
    if (words(then, name) == words(here, name) || std::ranges::count(begun.result.notes, note) > 0) continue;
    say(fmt::format("note: {}\n", printable(note)));
    begun.result.notes.push_back(note);
    if (begun.journal) begun.journal->add_note(note);
  }
}

worker::RunDriver opened_driver(const Task& task, Begun& begun) {
  if (task.goes_on()) check_same_machine(task, begun.result.run);
  std::vector<DeviceInfo> before = begun.result.devices;
  std::erase_if(before, [&](const DeviceInfo& device) { return left_out(begun, device, task.request) != nullptr; });
  auto workers = start_workers(begun.result);
  auto driver = task.goes_on() ? worker::RunDriver(std::move(workers), before, task.request)
                               : worker::RunDriver(std::move(workers), task.devices, task.request);
  if (task.remeasures()) driver.plan_only(begun.without_figure);
  driver.open();
  check_opened(driver, task);
  return driver;
}

/// Whether the journal is one that a killed run of --remeasure left: such a run begins anew, and never goes on.
bool is_left_over(const fs::path& path) { return fs::exists(path) && result::read_journal(path).header.run.complete; }

/// Begins the journal of a run, or goes on with it.
result::Journal& open_journal(const Task& task, Begun& begun) {
  const fs::path path = journal_path(task.output);
  if (!task.resume) {
    const bool replace = task.force || (task.remeasures() && is_left_over(path));
    return begun.journal.emplace(result::Journal::create(path, begun.result, replace));
  }
  begun.journal->add_resumed();
  ++begun.result.run.resumed;
  for (const DeviceInfo& device : begun.result.devices) {
    if (const auto* found = left_out(begun, device, task.request)) worker::add_rows(begun.result, found->back().rows);
  }
  return *begun.journal;
}

void tell_interrupted(const Task& task) {
  if (task.remeasures())
    return say(fmt::format("note: interrupted; {} is as before\n", printable(task.remeasured.string())));
  const std::string again = task.resume_command.empty()
                                ? fmt::format("{} {} --resume {}", printable(program_invocation_name),
                                              command_of(task.request), printable(task.output.string()))
                                : task.resume_command;
  say(fmt::format("note: interrupted; what was measured is kept: go on with {}\n", again));
}

/// Puts what was measured again where it has a figure now.
void take_fresh(Result& result, Result fresh, std::size_t lacking) {
  drop_samples(fresh);
  verdict::mark_suspects(fresh);
  const int replaced = worker::replace_rows(result, fresh);
  result.notes.insert(result.notes.end(), fresh.notes.begin(), fresh.notes.end());
  result.notes.push_back(fmt::format("{}: measured again: {} of {} rows without a figure have one now",
                                     result::utc_now(), replaced, lacking));
}

int carry_out(Task& task, const Shown& shown) {
  Begun begun = read_begun(task);
  Result& result = begun.result;
  if (task.remeasures() && begun.without_figure.empty()) {
    if (!task.quiet) say(fmt::format("every row of {} has a figure\n", printable(task.remeasured.string())));
    if (task.output != task.remeasured && !task.list_only) result::save(result, task.output);
    return exit_ok;
  }
  const auto roofs = read_roofs(task, result);
  worker::watch_interrupts();
  auto driver = opened_driver(task, begun);
  if (task.list_only) {
    fmt::print("{}", render::write(driver.left_to_measure(begun.rounds, planned_rounds(task)), task.form));
    return exit_ok;
  }
  if (task.goes_on()) {
    driver.check_same_builds(result);
    note_environment(begun);
  } else {
    describe(task, driver, result);
  }
  note_roofs(roofs, result.run);
  const auto borrowed = worker::borrow_roofs(roofs, result, task.request.scope, task.request.threads);
  result::Journal& journal = open_journal(task, begun);
  Result fresh;
  Progress progress(task.quiet);
  const measure::StolenShare stolen;
  const OtherRuns others;
  try {
    driver.run(std::move(begun.rounds), rounds_of(task, borrowed), journal, task.remeasures() ? fresh : result,
               progress);
    progress.end();
  } catch (const worker::InterruptedError&) {
    progress.end();
    if (task.remeasures()) journal.discard();
    tell_interrupted(task);
    return exit_interrupted;
  } catch (...) {
    if (task.remeasures()) journal.discard();
    throw;
  }
  tell(stolen, result, progress);
  tell(others, result);
  if (task.remeasures()) take_fresh(result, std::move(fresh), begun.without_figure.size());
  const int code = finish(task, borrowed, result, shown);
  journal.discard();
  return code;
}

}  // namespace

fs::path journal_path(const fs::path& output) { return output.string() + ".journal"; }

int perform(Task& task, const Shown& shown) {
  try {
    return carry_out(task, shown);
  } catch (const worker::InterruptedError&) {
    say(task.resume ? "interrupted; the journal is as before\n" : "interrupted before anything was measured\n");
    return exit_interrupted;
  }
}

}  // namespace gable::cli
