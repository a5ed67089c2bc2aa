// How far `gable calibrate --quick` spreads from run to run, and what the program costs: time to say --help, time of
// calibrate --full, memory.
#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>

#include "benchmarks/child.hpp"
#include "benchmarks/options.hpp"
#include "benchmarks/spread_table.hpp"
#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"

namespace {

using namespace gable;
using namespace gable::bench;
namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr double spread_limit = 0.03;
constexpr double help_limit_s = 0.020;
constexpr double full_limit_s = 120.0;
constexpr double memory_limit = 0.25;
constexpr int help_runs = 20;

struct Options {
  int runs{};
  bool full{};
  std::string json;
};

struct Calibration {
  Result result;
  double wall_s{};
  double peak_rss_bytes{};
};

Calibration calibrate(const std::string& gable, const std::string& mode, const fs::path& output) {
  const auto child = run_child({gable, "calibrate", mode, "--output", output.string()});
  // 1: done, with failed rows; they are in the result.
  if (child.exit_code > 1) throw Error(fmt::format("gable calibrate {}: exit code {}", mode, child.exit_code));
  return {result::load(output), child.wall_s, child.peak_rss_bytes};
}

double help_seconds(const std::string& gable) {
  std::vector<double> seconds;
  for (int i = 0; i < help_runs; ++i) {
    const auto child = run_child({gable, "--help"});
    if (child.exit_code != 0) throw Error(fmt::format("gable --help: exit code {}", child.exit_code));
    seconds.push_back(child.wall_s);
  }
  return measure::median(seconds);
}

double memory_of(const Result& result) {
  double bytes = 0.0;
  for (const DeviceInfo& device : result.devices) {
    if (device.backend == "openmp" && !device.memory.empty()) bytes = device.memory.back().size_bytes;
  }
  return bytes;
}

std::string limit_line(const std::string& what, double value, double limit, const std::string& unit) {
  return fmt::format("{:<40} {:>8.3g} {}  goal < {:g} {}  {}\n", what, value, unit, limit, unit,
                     value < limit ? "met" : "missed");
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  po::options_description described("Spread between runs, and what gable costs: gable_bench_spread");
  auto add = described.add_options();
  add("runs", po::value(&options.runs)->default_value(5), "runs of gable calibrate --quick");
  add("full", po::bool_switch(&options.full), "time gable calibrate --full too");
  add("json", po::value(&options.json), "write the figures with their provenance to this file");
  if (!read_options(argc, argv, described)) return {};
  if (options.runs < 2) throw Error("--runs: at least 2");
  return options;
}

int run(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) return 0;
  Record record(options->json, argc, argv, Mode::quick);
  const std::string gable = (fs::path(own_folder()) / "gable").string();
  const TemporaryFolder scratch("gable-bench");
  const double help_s = help_seconds(gable);
  std::vector<Result> runs;
  std::vector<double> quick_s;
  double peak_bytes = 0.0;
  const auto take = [&](const std::string& mode, const std::string& name) {
    auto calibration = calibrate(gable, mode, scratch / name);
    peak_bytes = std::max(peak_bytes, calibration.peak_rss_bytes);
    return calibration;
  };
  for (int i = 0; i < options->runs; ++i) {
    auto calibration = take("--quick", fmt::format("quick-{}.json", i));
    runs.push_back(std::move(calibration.result));
    quick_s.push_back(calibration.wall_s);
    fmt::print(stderr, "run {} of {}: {:.1f} s\n", i + 1, options->runs, calibration.wall_s);
  }
  std::optional<double> full_s;
  if (options->full) full_s = take("--full", "full.json").wall_s;

  const auto rows = spreads(runs);
  const double share = peak_bytes / memory_of(runs.front());
  fmt::print("{}", table(rows, spread_limit));
  fmt::print("{}",
             limit_line(fmt::format("gable --help, median of {}", help_runs), 1e3 * help_s, 1e3 * help_limit_s, "ms"));
  fmt::print("{:<40} {:>8.3g} s\n", "gable calibrate --quick, median", measure::median(quick_s));
  if (full_s) fmt::print("{}", limit_line("gable calibrate --full", *full_s, full_limit_s, "s"));
  fmt::print("{}", limit_line("peak memory of a process, of all memory", 100.0 * share, 100.0 * memory_limit, "%"));
  record.provenance.devices = runs.front().devices;
  record.provenance.workers = runs.front().workers;
  record.write({{"rows", to_json(rows, spread_limit)},
                {"help_s", help_s},
                {"quick_s", quick_s},
                {"full_s", full_s ? nlohmann::json(*full_s) : nlohmann::json()},
                {"peak_rss_bytes", peak_bytes},
                {"memory_share", share}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return gable::bench::run_program("gable_bench_spread", run, argc, argv); }
