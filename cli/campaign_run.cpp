#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "cli/campaign.hpp"
#include "cli/options.hpp"
#include "cli/perform.hpp"
#include "cli/progress.hpp"
#include "cli/task.hpp"
#include "core/error.hpp"
#include "core/questions/campaign/barrier.hpp"
#include "core/questions/campaign/folder.hpp"
#include "core/questions/campaign/nodelist.hpp"
#include "core/questions/campaign/plan.hpp"
#include "core/questions/campaign/summary.hpp"
#include "core/result/journal.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"
#include "core/text/text_table.hpp"
#include "core/worker/process.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

Usage campaign_run_usage() {
  Usage usage{.synopsis = "campaign run DIR [options]",
              .summary =
                  "Measures this node as the campaign's plan says: what each node's task executes, once a node.\n"
                  "Started again, it goes on where it was; a finished node is left alone.",
              .example = "srun --ntasks-per-node=1 --cpu-bind=none gable campaign run acceptance"};
  auto add = usage.options.add_options();
  add("dir", one("DIR"), "the folder that 'gable campaign init' made");
  add("node", one("NAME"), "what this node is called (SLURMD_NODENAME, else its host name)");
  add("retest", one("N"), "measure it once more, beside its first result: as the N-th retest");
  add("round", one("N"), "of --retest: which of its rounds, from 1 on");
  add("barrier", one("SECONDS"), "begin together with the job's other nodes, and wait for them at most so long");
  usage.positional.add("dir", 1);
  return usage;
}

/// One task and folder: the node, its files, and its plan.
struct NodeTask {
  fs::path folder;
  campaign::Plan plan;
  campaign::NodeRun run;

  fs::path result() const { return campaign::result_file(folder, run); }
  fs::path summary() const { return campaign::summary_file(folder, run); }
};

std::string node_of(const Options& values, const campaign::Plan& plan) {
  if (!values.has("node")) return campaign::this_node(plan.nodes);
  const auto& name = values.text("node");
  if (!campaign::is_node_name(name)) throw Error(fmt::format("--node: '{}' is no name of a node", name));
  return name;
}

/// Held until the process ends, however that ends. Throws Error if another task measures the node.
Descriptor lock_node(const NodeTask& task) {
  const fs::path path = campaign::lock_file(task.folder, task.run.node);
  // who may read it could hold it
  Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0660));
  if (fd.get() < 0) throw_errno("write", path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno == EWOULDBLOCK)
    throw Error(fmt::format("{} is being measured by another task of this campaign: start one a node", task.run.node));
  if (errno != ENOSYS && errno != EOPNOTSUPP) throw_errno("lock", path);
  say("note: this file system has no locks, so nothing would keep a second task from this node\n");
  return fd;
}

/// Throws Error unless a file was measured by this plan. `found` is empty where it names none.
void check_plan(const NodeTask& task, const fs::path& file, const std::string& found) {
  if (found == task.plan.id) return;
  throw Error(fmt::format("{} is of {}; this campaign's plan is {}: move the file away", file.string(),
                          found.empty() ? "no campaign" : fmt::format("another plan, {}", printable(found)),
                          task.plan.id));
}

/// The same, and of this node: a result that was copied from another is not its own.
void check_run(const NodeTask& task, const fs::path& file, const RunInfo& run) {
  check_plan(task, file, value_of_fact(run.facts, campaign::plan_fact));
  const std::string node = value_of_fact(run.facts, campaign::node_fact);
  if (node != task.run.node)
    throw Error(fmt::format("{} is of the node {}, not of {}: move the file away", file.string(), printable(node),
                            task.run.node));
}

void write_summary(const NodeTask& task) {
  const Result result = result::load(task.result());
  check_run(task, task.result(), result.run);
  result::write_file_atomically(task.summary(),
                                campaign::summary_text(campaign::summary_of(result, task.plan.id, task.run)));
}

/// A node that could not be measured says so in its summary: it is not just absent. A file that cannot be written is no
/// news: the reason is told on standard error all the same.
void write_failure(const NodeTask& task, const std::string& reason) {
  constexpr int longest_reason = 2000;  // a summary is small
  campaign::NodeSummary summary{
      .plan = task.plan.id, .node = task.run.node, .retest = task.run.retest, .round = task.run.round};
  summary.measured_at = result::utc_now();
  summary.mode = task.plan.request.mode;
  summary.failure = shorten(reason, longest_reason);
  try {
    result::write_file_atomically(task.summary(), campaign::summary_text(summary));
  } catch (const Error&) {
  }
}

/// Returns what the result tells of the barrier. Throws Error where nobody tells the job's name or its nodes.
Fact wait_for_others(const NodeTask& task, const Options& values) {
  campaign::Barrier barrier{.folder = task.folder, .job = campaign::job_name(), .node = task.run.node};
  barrier.limit_s = seconds("barrier", values.text("barrier"));
  barrier.nodes = campaign::nodes_of_job();
  if (barrier.nodes == 0) barrier.nodes = task.plan.nodes.size();
  if (barrier.job.empty())
    throw Error("--barrier: no job names itself: set GABLE_CAMPAIGN_JOB to a name that is new for every start");
  if (barrier.nodes == 0)
    throw Error("--barrier: nobody tells how many nodes there are: make the campaign with --nodes");
  const std::size_t there = campaign::wait_at(barrier);
  return {"campaign barrier", fmt::format("{} of {} nodes began together", there, barrier.nodes), "command line"};
}

Task task_of(const NodeTask& node, const Arguments& arguments) {
  Task task;
  task.request = node.plan.request;
  task.devices = node.plan.devices;
  task.retry_budget_s = node.plan.retry_budget_s;
  task.output = node.result();
  task.quiet = true;
  task.resume = fs::exists(journal_path(task.output));
  task.resume_command =
      fmt::format("gable campaign run {} --node {}{}{}", for_shell(node.folder.string()), node.run.node,
                  node.run.retest == 0 ? "" : fmt::format(" --retest {}", node.run.retest),
                  node.run.round == 1 ? "" : fmt::format(" --round {}", node.run.round));
  task.command_line = {"gable", "campaign", "run"};
  task.command_line.insert(task.command_line.end(), arguments.begin(), arguments.end());
  task.facts = {{std::string(campaign::plan_fact), node.plan.id, "plan.json"},
                {std::string(campaign::node_fact), node.run.node, "campaign run"}};
  return task;
}

/// Throws Error where the node has a file of another plan or node.
void check_files(const NodeTask& node) {
  const fs::path journal = journal_path(node.result());
  if (fs::exists(journal)) check_run(node, journal, result::read_journal(journal).header.run);
  if (!fs::exists(node.summary())) return;
  std::string plan = node.plan.id;
  try {
    plan = campaign::read_summary(node.summary()).plan;
  } catch (const Error&) {  // a damaged one is written anew
  }
  check_plan(node, node.summary(), plan);
}

/// Rows that failed are for the report to judge: a launcher that ends all tasks at the first exit code (mpirun) must
/// not see one here.
int measure_node(const NodeTask& node, Task& task) {
  fs::remove(node.summary());  // an older one would pass for this measurement until it ends
  int code = exit_ok;
  try {
    code = perform(task, [](const Result&) { return std::string(); });
  } catch (const Error& error) {
    write_failure(node, error.what());
    throw;
  }
  if (code == exit_interrupted) return code;
  write_summary(node);
  fmt::print("{}: measured: {}\n", node.run.node, printable(node.result().string()));
  return exit_ok;
}

}  // namespace

int campaign_run(const Arguments& arguments) {
  const auto values = parse(campaign_run_usage(), arguments);
  if (!values) return exit_ok;
  if (!values->has("dir")) throw Error("campaign run needs the folder of a campaign");
  NodeTask node{.folder = values->text("dir"), .plan = {}, .run = {}};
  node.plan = campaign::read_plan(node.folder);
  node.run.node = node_of(*values, node.plan);
  if (values->has("retest")) node.run.retest = positive_number<int>("retest", values->text("retest"));
  if (values->has("round")) {
    if (node.run.retest == 0) throw Error("--round goes with --retest");
    node.run.round = positive_number<int>("round", values->text("round"));
  }
  worker::watch_interrupts();
  const Descriptor lock = lock_node(node);
  Task task = task_of(node, arguments);
  if (values->has("barrier")) task.facts.push_back(wait_for_others(node, *values));
  if (worker::interrupted()) {
    say("interrupted before anything was measured\n");
    return exit_interrupted;
  }
  check_files(node);
  if (!task.resume && fs::exists(node.result())) {
    write_summary(node);
    fmt::print("{}: measured already: {}\n", node.run.node, printable(node.result().string()));
    return exit_ok;
  }
  return measure_node(node, task);
}

}  // namespace gable::cli
