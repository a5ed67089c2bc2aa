// What `gable measure --quick` is worth while a neighbour takes a part of every core: runs beside a disturber, judged
// by runs without it.
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>

#include "benchmarks/child.hpp"
#include "benchmarks/disturber.hpp"
#include "benchmarks/noisy_table.hpp"
#include "benchmarks/options.hpp"
#include "core/error.hpp"
#include "core/measure/disturbance.hpp"
#include "core/measure/statistics.hpp"
#include "core/operator.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"
#include "core/verdict/validate.hpp"

namespace {

using namespace gable;
using namespace gable::bench;
namespace fs = std::filesystem;
namespace po = boost::program_options;

struct Options {
  int runs{}, calm{};
  Neighbour neighbour;
  bool mpi{};
  std::string keep;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  std::string disturbance;
  po::options_description described("Quick runs beside a neighbour that disturbs them: gable_bench_noisy");
  auto add = described.add_options();
  add("runs", po::value(&options.runs)->default_value(60), "runs beside the disturber");
  add("calm", po::value(&options.calm)->default_value(5), "runs without it, before");
  add("disturb", po::value(&disturbance)->default_value("bursts:0.2")->value_name("HOW:AMOUNT"),
      "bursts:SHARE of each core's time, loops:N of computing, quota:CPUS (root), affinity:SECONDS until it changes");
  add("mpi", po::bool_switch(&options.mpi), "runs of gable-mpi with two ranks");
  add("keep", po::value(&options.keep)->value_name("FOLDER"), "leaves calm-N.json and run-N.json there");
  if (!read_options(argc, argv, described)) return {};
  if (options.runs < 1 || options.calm < 1) throw Error("--runs and --calm: at least 1");
  options.neighbour = read_neighbour(disturbance);
  if (!options.keep.empty() && !fs::is_directory(options.keep))
    throw Error(fmt::format("--keep: '{}' is not a folder", options.keep));
  return options;
}

struct Run {
  Result result;
  double wall_s{}, steal_percent{};
  int findings{};
};

/// The command that measures, without its output. Under a quota a run takes whole CPUs only: the calm ones take as
/// many.
std::vector<std::string> command_of(bool mpi, const Neighbour& neighbour) {
  const fs::path folder = own_folder();
  if (mpi) return {"mpirun", "--oversubscribe", "-n", "2", (folder / "gable-mpi").string(), "--quick", "--force"};
  std::vector<std::string> command{(folder / "gable").string(), "measure", "--quick", "--force"};
  const int cpus = std::max(1, static_cast<int>(neighbour.amount));
  if (neighbour.how == Disturbing::quota) command.insert(command.end(), {"--threads", std::to_string(cpus)});
  return command;
}

/// Beside the disturber, or beside nothing.
Run measured(std::vector<std::string> command, const fs::path& output, const Disturber* disturber = nullptr) {
  const measure::StolenShare stolen;
  command.insert(command.end(), {"--output", output.string()});
  const auto child = run_child(disturber ? disturber->beside(command) : command);
  if (child.exit_code > 1 || !fs::exists(output)) {  // a launcher that refuses exits with 1 as a busy machine does
    throw Error(fmt::format("{} ends with {}: {}", command.front(), child.exit_code, child.output));
  }
  Run run{result::load(output), child.wall_s, 0, static_cast<int>(verdict::validate_file(output).size())};
  run.steal_percent = 100 * stolen.since().value_or(0);
  return run;
}

/// Cpus that the CPU's rows ran on: one a core.
std::vector<int> cpus_of(const Result& result) {
  for (const DeviceInfo& device : result.devices) {
    if (device.backend == "openmp") return device.cpus;
  }
  return {0};  // of gable-mpi, whose ranks are where the launcher puts them
}

int run(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) return 0;
  const auto command = command_of(options->mpi, options->neighbour);
  const TemporaryFolder scratch("gable-bench");
  const auto output = [&](const char* kind, int number) {
    if (options->keep.empty()) return scratch / "run.json";
    return fs::path(options->keep) / fmt::format("{}-{}.json", kind, number);
  };
  std::vector<Result> calm;
  std::vector<double> calm_s;
  for (int i = 0; i < options->calm; ++i) {
    Run one = measured(command, output("calm", i + 1));
    calm_s.push_back(one.wall_s);
    calm.push_back(std::move(one.result));
  }
  const auto cpus = cpus_of(calm.front());
  const auto needed = needed_rows(calm.front());
  const auto levels = undisturbed_levels(calm);
  fmt::print("calm: {} runs, median {:.1f} s. Then disturbed by {}:{:g}:\n{}", calm.size(), measure::median(calm_s),
             to_string(options->neighbour.how), options->neighbour.amount, heading());
  int good = 0, off = 0, slower = 0, of_main_memory = 0, figures = 0, kept = 0, good_of_kept = 0;
  for (int i = 0; i < options->runs; ++i) {
    const Disturber disturber(options->neighbour, cpus, static_cast<unsigned>(1000 + 100 * i));
    const Run one = measured(command, output("run", i + 1), &disturber);
    RunVerdict verdict = verdict_of(one.result, needed, levels);
    verdict.wall_s = one.wall_s;
    verdict.steal_percent = one.steal_percent;
    verdict.findings = one.findings;
    fmt::print("{}", line(i + 1, verdict));
    std::fflush(stdout);
    good += verdict.good() ? 1 : 0;
    kept += verdict.memory_kept_its_speed ? 1 : 0;
    good_of_kept += verdict.memory_kept_its_speed && verdict.good() ? 1 : 0;
    off += verdict.off;
    slower += verdict.slower;
    of_main_memory += verdict.off_of_main_memory;
    figures += verdict.figures;
  }
  fmt::print("{} of {} runs have every needed figure and a verdict on every point, none above 110 %, and are valid.\n",
             good, options->runs);
  fmt::print(
      "Main memory kept its speed (\"memory x\" is the fastest round over the slowest) in {} of them, {} good.\n", kept,
      good_of_kept);
  fmt::print(
      "{} of {} figures ({:.1f} %) are within 5 % of their undisturbed level, or their interval holds it; {} are "
      "slower and {} faster than that, {} of these in main memory.\n",
      figures - off, figures, 100.0 * (figures - off) / std::max(1, figures), slower, off - slower, of_main_memory);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return gable::bench::run_program("gable_bench_noisy", run, argc, argv); }
