#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "cli/other_runs.hpp"
#include "cli/progress.hpp"
#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/measure/rounds.hpp"
#include "core/model/units.hpp"
#include "core/questions/check/acceptance.hpp"
#include "core/result/journal.hpp"
#include "core/result/provenance.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/named_machine.hpp"
#include "core/worker/run_driver.hpp"

namespace gable::cli {
namespace {

/// Rows of each device that are measured: memory and arithmetic of the main types.
constexpr std::size_t most_rows = 6;
/// Slurm kills a HealthCheckProgram after 60 s, and NHC gives a check 30 s.
constexpr const char* default_limit = "25";
constexpr double most_limit_s = 600;

Usage health_usage() {
  Usage usage{.synopsis = "health --against FILE [options]",
              .summary =
                  "Whether this node is as fast as a reference, in under 30 s: measures its memory and its main\n"
                  "arithmetic. Silent with exit code 0 when it is well; one line a fault, and exit code 1, when it\n"
                  "is not; exit code 3 when other work left no figure to judge it by.",
              .example = "gable health --against reference.json"};
  auto add = usage.options.add_options();
  add("against", one("FILE"), "result of a healthy node of this kind");
  add("tolerance", one("PERCENT")->default_value("10%"), "how much slower is accepted");
  add("limit", one("SECONDS")->default_value(default_limit), "a node that is not done then is not well");
  add("verbose", po::bool_switch(), "print what was measured, also of a node that is well");
  return usage;
}

/// How much a row tells of a node's health, from 0 on; nothing of other rows.
std::optional<int> rank_of(const Ceiling& row, const DeviceInfo& device) {
  if (row.status != Status::ok || !row.variant.empty() || row.scope != Scope::node) return {};
  if (row.kind == CeilingKind::bandwidth && !device.memory.empty() && row.name == device.memory.back().name) {
    if (row.access == Access::triad && row.stores != Stores::non_temporal) return 0;
    if (row.access == Access::read) return 1;
    return {};
  }
  if (row.kind == CeilingKind::link) return 5;
  if (row.kind != CeilingKind::compute || row.at != OperatingPoint::burst || !row.dtype) return {};
  if (parse_unit(row.name) == Unit::matrix) return 2;
  if (parse_unit(row.name) == Unit::vector) return *row.dtype == DType::fp64 ? 3 : *row.dtype == DType::fp32 ? 4 : 6;
  return {};
}

/// Leaves of a reference the rows that health is about, at most most_rows a device.
void keep_basic(Result& reference) {
  std::vector<Ceiling> kept;
  for (const DeviceInfo& device : reference.devices) {
    std::vector<std::pair<int, const Ceiling*>> ranked;
    for (const Ceiling& row : reference.ceilings) {
      const auto rank = row.device == device.id ? rank_of(row, device) : std::nullopt;
      if (rank) ranked.emplace_back(*rank, &row);
    }
    std::ranges::stable_sort(ranked, {}, [](const auto& one) { return one.first; });
    // of every kind the first, then more of them
    std::vector<const Ceiling*> chosen;
    std::set<int> seen;
    for (const auto& [rank, row] : ranked) {
      if (seen.insert(rank).second) chosen.push_back(row);
    }
    for (const auto& [rank, row] : ranked) {
      if (std::ranges::count(chosen, row) == 0) chosen.push_back(row);
    }
    for (std::size_t i = 0; i < std::min(chosen.size(), most_rows); ++i) kept.push_back(*chosen[i]);
  }
  reference.ceilings = std::move(kept);
  reference.points.clear();
  reference.curves.clear();
}

/// Asks this process to stop when the time is over, as a signal would.
class Deadline {
 public:
  explicit Deadline(double limit_s)
      : watch_([this, limit_s](std::stop_token stopped) {
          std::unique_lock lock(mutex_);
          const bool ended =
              wake_.wait_for(lock, stopped, std::chrono::duration<double>(limit_s), [] { return false; });
          if (!ended && !stopped.stop_requested()) {
            over_ = true;
            ::kill(::getpid(), SIGTERM);
          }
        }) {}
  bool over() const { return over_; }

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::atomic<bool> over_{false};
  std::jthread watch_;
};

std::vector<worker::Session> start_workers(std::vector<worker::StartProblem>& problems) {
  auto sessions = worker::start_sessions(problems);
  if (sessions.empty()) throw Error(to_string(problems.front()));
  return sessions;
}

/// Three rounds, as a quick run has them, or as many as fit into half of the time: devices are measured one behind
/// another.
int rounds_within(double limit_s, const worker::RunDriver& driver) {
  constexpr int most = 3;
  double expected_s = 0;
  for (const auto& opened : driver.devices()) {
    for (const worker::ItemInfo& item : opened.items.items) expected_s += item.expected_s;
  }
  return expected_s > 0 ? std::clamp(static_cast<int>(limit_s / 2 / expected_s), 1, most) : most;
}

/// What is measured cannot be kept: the temporary files are full, or not this user's. It says nothing of the speed.
struct NothingKept : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The reference says nothing of this machine.
struct OtherMachine : Error {
  using Error::Error;
};

/// Throws OtherMachine where only other devices of its backend are here, or no worker for it. A lost one may be.
void check_same_machine(const Result& reference, const std::vector<worker::Session>& sessions,
                        const std::vector<worker::StartProblem>& problems) {
  for (const DeviceInfo& one : reference.devices) {
    bool same = false, served = std::ranges::count(problems, one.backend, &worker::StartProblem::backend) > 0;
    std::string other;
    for (const worker::Session& session : sessions) {
      served |= session.candidate().backend == one.backend;
      for (const DeviceInfo& device : session.probe().devices) {
        same |= catalogue::same_model(device, one);
        if (device.backend == one.backend) other = fmt::format("{} ({})", device.id, device.name);
      }
    }
    if (!same && (!served || !other.empty()))
      throw OtherMachine(fmt::format("--against: it has {} ({}), and here is {}", one.id, one.name,
                                     other.empty() ? "no worker for it" : other));
  }
}

/// Measures the rows of the reference on this machine. Throws Error for a device that is not there or does not open.
Result measure_rows(const Result& reference, double limit_s) {
  Request request;
  request.points = false;
  std::set<std::string> keys;
  std::vector<std::string> devices;
  for (const Ceiling& row : reference.ceilings) {
    keys.insert(worker::journal_key(row.device, row.id));
    if (std::ranges::count(devices, row.device) == 0) devices.push_back(row.device);
  }
  std::vector<worker::StartProblem> problems;
  auto sessions = start_workers(problems);
  check_same_machine(reference, sessions, problems);
  worker::RunDriver driver(std::move(sessions), devices, request);
  driver.plan_only(std::move(keys));
  driver.open();
  if (!driver.failures().empty())
    throw Error(fmt::format("{}: {}", driver.failures().front().device.id, driver.failures().front().reason));
  Result result;
  result.build = result::this_build();
  result.run = result::begin_run({"gable", "health"}, request.mode);
  for (const auto& opened : driver.devices()) {
    result.devices.push_back(opened.device);
    result.workers.emplace_back(opened.session.hello().worker, opened.session.hello().build);
  }
  const OtherRuns others;  // they see this one
  Progress quiet(true);
  try {
    const TemporaryFolder folder("gable-health");
    auto journal = result::Journal::create(folder.path() / "health.journal", result);
    driver.run({}, worker::Rounds{.count = rounds_within(limit_s, driver)}, journal, result, quiet);
  } catch (const Error& error) {
    throw NothingKept(error.what());
  }
  result::finish_run(result.run);
  result.run.complete = true;
  return result;
}

/// What is said of a node.
struct Health {
  std::vector<std::string> faults{};    ///< what a healthy node does not have
  std::vector<std::string> unjudged{};  ///< rows without a good figure, because other work had the node
  std::vector<std::string> slow{};      ///< rows that are slower than is accepted
  std::size_t rows{};
};

/// Why rows have no good figure, where other work is the reason: held back, or no time or memory was left for them.
std::vector<std::string> reasons_of_other_work(const Result& now) {
  std::vector<std::string> reasons;
  for (const Ceiling& row : now.ceilings) {
    const bool held_back = row.status == Status::suspect && measure::was_held_back(row.value);
    if (held_back || row.status == Status::skipped)
      reasons.push_back(fmt::format("{}: {}", to_string(row.status), row.reason));
  }
  return reasons;
}

/// Rows that are faster than the reference, or whose interval reaches it, are well. Where other work held back one row
/// the others may be slow for the same reason: then they are no faults of the node. A row that lacks a good figure for
/// another reason is one: silence would say that the node is as fast as the reference.
Health health_of(const questions::Checked& checked, const std::vector<std::string>& of_other_work) {
  using enum questions::AcceptanceVerdict;
  Health health{.faults = {}, .unjudged = {}, .slow = {}, .rows = checked.rows.size()};
  for (const questions::AcceptanceRow& row : checked.rows) {
    const bool has_no_figure =
        (row.verdict == suspicious && !row.value) || row.verdict == unjudged || row.verdict == missing;
    const std::string text = fmt::format("{}: {}", row.name, row.reason);
    if (has_no_figure)
      (std::ranges::count(of_other_work, row.reason) > 0 ? health.unjudged : health.faults).push_back(text);
    else if (row.verdict == low)
      health.slow.push_back(text);
  }
  if (health.unjudged.empty()) std::ranges::move(health.slow, std::back_inserter(health.faults));
  return health;
}

/// Rows that the reference cannot judge by.
void print_suspect(const Result& reference) {
  for (const Ceiling& row : reference.ceilings) {
    if (row.status == Status::suspect)
      fmt::print("not compared, suspect in the reference: {}: {}\n", printable(row.id), printable(row.reason));
  }
}

void print_rows(const questions::Checked& checked) {
  for (const questions::AcceptanceRow& row : checked.rows) {
    if (row.value)
      fmt::print("{}: {}, {:.1f} % of the reference's speed\n", printable(row.name),
                 format_quantity(*row.value, row.unit), 100 * row.speed.value_or(0));
  }
}

/// Whether more wants to run than there are processors, by far: what is measured here adds one a processor.
bool is_loaded() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 && load > 1 + 2.0 * std::thread::hardware_concurrency();
}

Health health_here(Result reference, double tolerance, double limit_s, bool verbose) {
  const Deadline deadline(limit_s);
  try {
    Result now = measure_rows(reference, limit_s);
    questions::AcceptanceTest test{.tolerance = tolerance};
    const auto of_other_work = reasons_of_other_work(now);
    test.files.push_back({"this node", std::move(now)});
    test.references.push_back({"the reference", std::move(reference)});
    const auto checked = questions::check(test);
    if (verbose) print_rows(checked);
    return health_of(checked, of_other_work);
  } catch (const worker::InterruptedError&) {
    if (!deadline.over()) throw;
    const std::string late = fmt::format("not done within {:g} s", limit_s);
    return is_loaded() ? Health{.unjudged = {late}} : Health{.faults = {late}};
  } catch (const OtherMachine&) {
    throw;
  } catch (const NothingKept& error) {
    return {.unjudged = {error.what()}};
  } catch (const Error& error) {
    return {.faults = {error.what()}};
  }
}

/// One line: how much of the node could not be judged, and why.
std::string unjudged_words(const Health& health) {
  double load = 0;
  const bool is_told = ::getloadavg(&load, 1) == 1;
  return fmt::format("not judged, {} of {} rows have no good figure{}; the first, {}{}", health.unjudged.size(),
                     std::max(health.rows, health.unjudged.size()),
                     health.slow.empty() ? "" : fmt::format(" and {} are slow beside them", health.slow.size()),
                     health.unjudged.front(), is_told ? fmt::format("; load {:.1f}", load) : "");
}

}  // namespace

int health(const Arguments& arguments) {
  const auto values = parse(health_usage(), arguments);
  if (!values) return exit_ok;
  if (!values->has("against")) throw Error("health needs --against FILE, the result of a healthy node");
  const double tolerance = fraction(*values, "tolerance", 0);
  const double limit_s = seconds("limit", values->text("limit"), 1, most_limit_s);
  const auto& file = values->text("against");
  Result reference = load_result(file);
  if (values->is_on("verbose")) print_suspect(reference);
  keep_basic(reference);
  if (reference.ceilings.empty())
    throw Error(fmt::format("{}: it has no good figure of a memory or a peak to compare with", file));
  worker::watch_interrupts();
  try {
    const Health health = health_here(std::move(reference), tolerance, limit_s, values->is_on("verbose"));
    for (const std::string& fault : health.faults) fmt::print("gable health: {}\n", printable(fault));
    if (!health.unjudged.empty()) fmt::print("gable health: {}\n", printable(unjudged_words(health)));
    return !health.faults.empty() ? exit_failed_rows : health.unjudged.empty() ? exit_ok : exit_not_judged;
  } catch (const worker::InterruptedError&) {
    return exit_interrupted;
  }
}

}  // namespace gable::cli
