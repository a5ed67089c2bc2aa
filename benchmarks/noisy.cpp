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
#include "core/result/validate.hpp"

namespace {

using namespace gable;
using namespace gable::bench;
namespace fs = std::filesystem;
namespace po = boost::program_options;

struct Options {
  int runs{}, calm{};
  double share{};
  std::string keep;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  po::options_description described("Quick runs beside a neighbour that works in random bursts: gable_bench_noisy");
  auto add = described.add_options();
  add("runs", po::value(&options.runs)->default_value(60), "runs beside the disturber");
  add("calm", po::value(&options.calm)->default_value(5), "runs without it, before");
  add("share", po::value(&options.share)->default_value(0.2), "of the time of each core that the disturber takes");
  add("keep", po::value(&options.keep)->value_name("FOLDER"), "leaves calm-N.json and run-N.json there");
  if (!read_options(argc, argv, described)) return {};
  if (options.runs < 1 || options.calm < 1) throw Error("--runs and --calm: at least 1");
  if (!(options.share >= 0 && options.share < 1)) throw Error("--share: from 0 to less than 1");
  if (!options.keep.empty() && !fs::is_directory(options.keep))
    throw Error(fmt::format("--keep: '{}' is not a folder", options.keep));
  return options;
}

struct Run {
  Result result;
  double wall_s{}, steal_percent{};
  int findings{};
};

Run measured(const std::string& gable, const fs::path& output) {
  const measure::StolenShare stolen;
  const auto child = run_child({gable, "measure", "--quick", "--force", "--output", output.string()});
  if (child.exit_code > 1) throw Error(fmt::format("gable measure: exit code {}: {}", child.exit_code, child.output));
  Run run{result::load(output), child.wall_s, 0, static_cast<int>(result::validate_file(output).size())};
  run.steal_percent = 100 * stolen.since().value_or(0);
  return run;
}

/// Cpus that the CPU's rows ran on: one a core.
std::vector<int> cpus_of(const Result& result) {
  for (const DeviceInfo& device : result.devices) {
    if (device.backend == "openmp") return device.cpus;
  }
  throw Error("no CPU was measured");
}

int run(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) return 0;
  const std::string gable = (fs::path(own_folder()) / "gable").string();
  const Scratch scratch;
  const auto output = [&](const char* kind, int number) {
    if (options->keep.empty()) return scratch.file("run.json");
    return fs::path(options->keep) / fmt::format("{}-{}.json", kind, number);
  };
  std::vector<Result> calm;
  std::vector<double> calm_s;
  for (int i = 0; i < options->calm; ++i) {
    Run one = measured(gable, output("calm", i + 1));
    calm_s.push_back(one.wall_s);
    calm.push_back(std::move(one.result));
  }
  const auto cpus = cpus_of(calm.front());
  const auto needed = needed_rows(calm.front());
  const auto levels = undisturbed_levels(calm);
  fmt::print(
      "calm: {} runs, median {:.1f} s. Then beside bursts of computing and memory traffic, {:.0f} % of each of {} "
      "cpus:\n{}",
      calm.size(), measure::median(calm_s), 100 * options->share, cpus.size(), heading());
  int good = 0, off = 0, slower = 0, figures = 0, kept = 0, good_of_kept = 0;
  for (int i = 0; i < options->runs; ++i) {
    const Disturber disturber(cpus, options->share, static_cast<unsigned>(1000 + 100 * i));
    const Run one = measured(gable, output("run", i + 1));
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
    figures += verdict.figures;
  }
  fmt::print("{} of {} runs have every needed figure and a verdict on every point, none above 110 %, and are valid.\n",
             good, options->runs);
  fmt::print(
      "Main memory kept its speed (\"memory x\" is the fastest round over the slowest) in {} of them, {} good.\n", kept,
      good_of_kept);
  fmt::print(
      "{} of {} figures ({:.1f} %) are within 5 % of their undisturbed level, or their interval holds it; {} are "
      "slower and {} faster than that.\n",
      figures - off, figures, 100.0 * (figures - off) / std::max(1, figures), slower, off - slower);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return gable::bench::run_program("gable_bench_noisy", run, argc, argv); }
