#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <variant>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/questions/counters/counter_trust.hpp"
#include "core/questions/interchange/import.hpp"
#include "core/questions/interchange/profilers.hpp"
#include "core/result/store.hpp"
#include "core/text/environment.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"
#include "core/worker/process.hpp"
#include "core/worker/session.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;
using interchange::CounterChoice;
using interchange::KernelWork;
using interchange::Profiler;

/// The longer profile of a pair has so many times the runs of the shorter one.
constexpr int longer = 3;
constexpr int most_runs = 1000;

Usage verify_counters_usage() {
  Usage usage{
      .synopsis = "verify-counters --tool TOOL [options]",
      .summary =
          "Runs operators whose flop and bytes are known under a profiler, and prints counted / true for each of "
          "its metrics (docs/interchange.md). Exit code 1: a metric does not agree.",
      .example = "gable verify-counters --tool ncu --device cuda:0"};
  auto add = usage.options.add_options();
  add("tool", one("TOOL"), interchange::profiler_names().c_str());
  add("device", one("ID"), "the device (the first that the profiler counts on)");
  add("runs", one("N")->default_value("5"),
      "every operator is profiled with N runs and with 3 N, and the difference is taken");
  add("profiler", one("PATH"), "the profiler's program (as PATH has it)");
  add("profiler-args", many("'WORDS'"),
      "what the profiler is told to count, instead of Gable's choice, as one text; repeated: a profile each");
  add("limit", one("SECONDS")->default_value("600"), "a profile that is not done then is ended, with all it started");
  add("output", one("FILE"), "the file to write (the terminal)");
  add("force", po::bool_switch(), "replace an existing file");
  add("quiet", po::bool_switch(), "print no progress");
  offer_format(usage.options);
  return usage;
}

/// The device to run on. Its worker ends with this call.
DeviceInfo device_for(Profiler profiler, const std::optional<std::string>& id) {
  std::vector<worker::StartProblem> problems;
  const auto sessions = worker::start_sessions(problems);
  std::vector<std::string> there;
  for (const worker::Session& session : sessions) {
    for (const DeviceInfo& device : session.probe().devices) {
      const bool counts = device.backend == interchange::backend_of(profiler);
      if (id ? device.id == *id : counts) {
        if (counts) return device;
        throw Error(fmt::format("--device: {} does not count on {}", to_string(profiler), *id));
      }
      there.push_back(device.id);
    }
  }
  if (id)
    throw Error(fmt::format("--device: no device '{}' here{}", *id,
                            there.empty() ? "" : fmt::format("; there is {}", fmt::join(there, ", "))));
  std::string why;
  for (const auto& problem : problems) why += "; " + to_string(problem);
  throw Error(fmt::format("{} counts on {} devices, and there is none{}", to_string(profiler),
                          interchange::backend_of(profiler), why));
}

/// A profile that did not come about. Not bad input: others may.
struct NoProfile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Of the files of a profile so far.
std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t sum = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator one(folder, error), end; !error && one != end; one.increment(error)) {
    std::error_code none;
    if (const auto size = one->file_size(none); !none) sum += size;
  }
  return sum;
}

/// Runs one profile after another.
class Profiling {
 public:
  Profiling(Profiler profiler, fs::path path, DeviceInfo device, double limit_s)
      : profiler_(profiler),
        path_(std::move(path)),
        device_(std::move(device)),
        limit_s_(limit_s),
        scratch_("gable-counters") {}

  /// The files of one profile of `runs` runs. Throws NoProfile with the reason where there is none.
  std::vector<fs::path> profile(const questions::CounterCase& one, const CounterChoice& choice, int runs) {
    const fs::path folder = scratch_.path() / std::to_string(++number_);
    fs::create_directory(folder);
    const fs::path result = folder / "run.json";
    const std::vector<std::string> program{this_program(), "run",
                                           "--operator",   one.op,
                                           "--params",     one.params.to_string(),
                                           "--dtype",      std::string(to_string(one.dtype)),
                                           "--device",     device_.id,
                                           "--runs",       std::to_string(runs),
                                           "--output",     result.string(),
                                           "--quiet"};
    const std::string said =
        start(interchange::profile_command(profiler_, path_, choice, device_, folder, program), folder);
    const auto files = interchange::profile_files(profiler_, folder);
    refuse_without_runs(result);
    refuse_uncounted(files, said, one);
    return files;
  }
  const DeviceInfo& device() const { return device_; }
  /// What the files of a case are read for.
  interchange::Target target(const questions::CounterCase& one) const {
    return {.device = device_, .dtype = one.dtype, .scope = Scope::node};
  }

 private:
  /// What it printed. Throws NoProfile where its exit code is not 0.
  std::string start(std::vector<std::string> command, const fs::path& folder) {
    const fs::path program = command.front();
    command.erase(command.begin());
    worker::Process process(program, command, worker::Process::Ends::descendants);  // the operator ends with it
    constexpr std::size_t most = 65536;
    constexpr std::uintmax_t most_written = std::uintmax_t{4} << 30;
    const auto begin = std::chrono::steady_clock::now();
    std::string said;
    for (auto looked = begin;;) {
      const auto read = process.read(1.0);
      const auto now = std::chrono::steady_clock::now();
      if (std::chrono::duration<double>(now - begin).count() > limit_s_)
        throw NoProfile(fmt::format("it was not done after {:g} s (--limit)", limit_s_));
      if (now - looked > std::chrono::seconds(1)) {
        if (bytes_in(folder) > most_written)
          throw NoProfile(fmt::format("it wrote more than {} GiB", most_written >> 30));
        looked = now;
      }
      if (std::holds_alternative<worker::Interrupted>(read)) throw worker::InterruptedError();
      if (std::holds_alternative<worker::Closed>(read)) break;
      if (const auto* line = std::get_if<worker::OutputLine>(&read); line && said.size() < most)
        said += line->text + '\n';
    }
    const int code = process.exit_code();
    said += process.errors();
    if (code == 0) return said;
    const std::string last = process.last_error_line();
    throw NoProfile(
        reason(said, fmt::format("it ended with {}{}{}", process.ending(), last.empty() ? "" : ": ", last)));
  }

  std::string reason(const std::string& said, std::string otherwise) const {
    const auto means = interchange::refusal_in(profiler_, said);
    return means.empty() ? std::move(otherwise) : std::string(means);
  }

  /// Throws NoProfile where the files hold no counter.
  void refuse_uncounted(const std::vector<fs::path>& files, std::string said, const questions::CounterCase& one) const {
    if (files.empty()) throw NoProfile(reason(said, "it wrote no file"));
    for (const fs::path& file : files) said += read_text(file);
    try {
      if (interchange::total_of(files, target(one)).anything) return;
    } catch (const Error& error) {
      throw NoProfile(reason(said, error.what()));
    }
    throw NoProfile(reason(said, "its file has no counter"));
  }

  /// Throws NoProfile where the operator did not run.
  static void refuse_without_runs(const fs::path& file) {
    if (!fs::exists(file)) throw NoProfile("the operator did not run under it");
    const Result result = result::load(file);
    if (result.points.size() != 1) throw NoProfile("the operator did not run under it");
    const Point& point = result.points.front();
    if (!(point.time.value > 0)) throw NoProfile("the operator did not run under it: " + point.reason);
  }

  Profiler profiler_;
  fs::path path_;
  DeviceInfo device_;
  double limit_s_;
  TemporaryFolder scratch_;
  int number_{};
};

/// Profiles all cases.
class Verification {
 public:
  Verification(Profiling& profiling, int runs) : profiling_(profiling), runs_(runs) {}

  /// Whether any of the profiles of a case may still come about.
  bool has_work(const questions::CounterCase& one, const std::vector<CounterChoice>& choices) const {
    return std::ranges::any_of(choices, [&](const CounterChoice& choice) { return is_wanted(one, choice); });
  }
  /// Adds what the profiles of one case say.
  void take(const questions::CounterCase& one, const std::vector<CounterChoice>& choices) {
    std::vector<fs::path> few, many;
    for (const CounterChoice& choice : choices) {
      const std::string words = words_of(choice);
      if (!is_wanted(one, choice)) continue;
      try {
        auto first = profiling_.profile(one, choice, runs_);
        auto second = profiling_.profile(one, choice, longer * runs_);
        few.insert(few.end(), first.begin(), first.end());
        many.insert(many.end(), second.begin(), second.end());
      } catch (const NoProfile& failure) {
        failed_.emplace(words, failure.what());
        order_.push_back(words);
      }
    }
    if (few.empty()) return;
    const auto target = profiling_.target(one);
    const auto before = interchange::total_of(few, target), after = interchange::total_of(many, target);
    for (const std::string& note : after.notes) notes_.insert(note);
    const KernelWork one_run = questions::work_of_one_run(before.work, runs_, after.work, longer * runs_);
    const auto readings = questions::readings_of(one, one_run, target.main_memory());
    trust.readings.insert(trust.readings.end(), readings.begin(), readings.end());
  }

  /// What was not counted, and why.
  void note_failures() {
    for (const std::string& words : order_)
      trust.notes.push_back(printable(fmt::format("not counted with {}: {}", words, failed_.at(words))));
    trust.notes.insert(trust.notes.end(), notes_.begin(), notes_.end());
  }
  /// The reason of the first profile that failed; empty where none did.
  std::string first_failure() const { return order_.empty() ? std::string() : failed_.at(order_.front()); }

  questions::CounterTrust trust;

 private:
  static std::string words_of(const CounterChoice& choice) { return fmt::format("{}", fmt::join(choice.options, " ")); }
  bool is_wanted(const questions::CounterCase& one, const CounterChoice& choice) const {
    return (one.bytes || !choice.bytes) && !failed_.contains(words_of(choice));
  }

  Profiling& profiling_;
  int runs_;
  std::map<std::string, std::string> failed_;  ///< choices that are not tried again, with the reason
  std::vector<std::string> order_;
  std::set<std::string> notes_;
};

/// The words of --profiler-args, a profile each.
std::vector<CounterChoice> asked_choices(const Options& values) {
  std::vector<CounterChoice> choices;
  for (const std::string& text : texts(values, "profiler-args")) {
    CounterChoice choice;
    for (std::size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      choice.options.push_back(text.substr(at, end - at));
      at = end;
    }
    if (choice.options.empty()) throw Error("--profiler-args is empty");
    choices.push_back(std::move(choice));
  }
  return choices;
}

Profiler profiler_named(const Options& values) {
  if (!values.has("tool")) throw Error(fmt::format("verify-counters needs --tool: {}", interchange::profiler_names()));
  const auto& name = values.text("tool");
  const auto profiler = parse_name<Profiler>(name);
  if (!profiler) throw Error(fmt::format("--tool: '{}' is none of {}", name, interchange::profiler_names()));
  return *profiler;
}

fs::path path_of(Profiler profiler, const Options& values) {
  const bool named = values.has("profiler");
  const std::string name = named ? values.text("profiler") : std::string(interchange::program_of(profiler));
  const fs::path path = worker::find_program(name);
  if (!path.empty()) return fs::absolute(path);
  throw Error(named ? fmt::format("--profiler: '{}' is no program that can be started", name)
                    : fmt::format("{} is not in PATH: install it, or name it by --profiler", name));
}

questions::CounterTrust verify(Profiler profiler, Profiling& profiling, const Options& values) {
  const int runs = static_cast<int>(number_within("runs", values.text("runs"), {1, most_runs}, "number of runs"));
  const DeviceInfo& device = profiling.device();
  const auto cases = questions::counter_cases(device, operator_specs());
  const auto asked = asked_choices(values);
  Verification verification(profiling, runs);
  verification.trust.profiler = to_string(profiler);
  verification.trust.device = device.id;
  verification.trust.runs = runs;
  bool known = false;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto choices = asked.empty() ? interchange::counter_choices(profiler, device, cases[i].dtype) : asked;
    known = known || !choices.empty();
    if (!verification.has_work(cases[i], choices)) continue;
    if (!values.is_on("quiet")) say(fmt::format("{}/{} {}\n", i + 1, cases.size(), cases[i].name()));
    verification.take(cases[i], choices);
  }
  if (!known)
    throw Error(fmt::format("{}: which counters {} has is not known here: name them by --profiler-args",
                            to_string(profiler), device.name));
  if (verification.trust.readings.empty())
    throw Error(fmt::format("{}: {}", interchange::program_of(profiler), verification.first_failure()));
  if (std::ranges::none_of(cases, &questions::CounterCase::bytes))
    verification.trust.notes.push_back(
        fmt::format("bytes are not judged: arrays of 20 times the caches ({}) do not "
                    "fit the memory that a run may take",
                    format_quantity(cache_bytes(device), "byte")));
  verification.note_failures();
  return std::move(verification.trust);
}

}  // namespace

int verify_counters(const Arguments& arguments) {
  const auto values = parse(verify_counters_usage(), arguments);
  if (!values) return exit_ok;
  const Profiler profiler = profiler_named(*values);
  if (values->has("output")) check_new_file("output", values->text("output"), values->is_on("force"));
  const fs::path path = path_of(profiler, *values);
  const double limit_s = seconds("limit", values->text("limit"), 1);
  worker::watch_interrupts();
  try {
    std::optional<std::string> id;
    if (values->has("device")) id = values->text("device");
    Profiling profiling(profiler, path, device_for(profiler, id), limit_s);
    const auto trust = verify(profiler, profiling, *values);
    const std::string text = written(questions::answer_of(trust), *values);
    put_out(*values, text);
    const auto judged = questions::judge(trust.readings);
    const bool agrees =
        std::ranges::all_of(judged, [](const auto& one) { return one.verdict == questions::CounterVerdict::agrees; });
    return agrees ? exit_ok : exit_failed_rows;
  } catch (const worker::InterruptedError&) {
    return exit_interrupted;
  }
}

}  // namespace gable::cli
