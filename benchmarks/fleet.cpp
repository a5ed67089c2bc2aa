// What the rule of `gable campaign report` finds: fleets of which it is known which nodes are slow, and by how much,
// with normal spread. Prints the table of docs/campaigns.md. With --make FOLDER it writes the summaries of such a fleet
// instead; with --report it measures how long a report of such takes, beside its goal.
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <random>
#include <string>

#include "benchmarks/child.hpp"
#include "benchmarks/options.hpp"
#include "benchmarks/simulated_fleet.hpp"
#include "core/error.hpp"
#include "core/questions/campaign/folder.hpp"
#include "core/questions/campaign/plan.hpp"
#include "core/questions/campaign/summary.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"

namespace {

using namespace gable;
using namespace gable::bench;
namespace po = boost::program_options;
namespace fs = std::filesystem;

/// Rows of the table rest on so many figures, whatever the number of nodes.
constexpr std::size_t figures_of_a_row = 4'000'000;

int quantities(std::size_t nodes) { return static_cast<int>(figures_of_a_row / nodes); }

void print_table() {
  fmt::print(
      "| nodes | slow ones | MAD | 1 % slow found | 3 % slow found | 10 % slow found | false in 60 rows |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const std::size_t nodes : {8, 32, 1000}) {
    for (const double part : {0.0, 0.01, 0.05}) {
      const auto slow = static_cast<std::size_t>(part * static_cast<double>(nodes) + 0.5);
      if (part > 0 && nodes < 1000 && part < 0.05) continue;  // less than one node
      for (const double mad : {0.004, 0.01}) {
        std::string found;
        double wrong = 0;
        for (const double slow_by : {0.01, 0.03, 0.1}) {
          const std::size_t count = part > 0 && slow == 0 ? 1 : slow;
          const Found one = judge({.nodes = nodes, .mad = mad, .slow_by = slow_by, .slow = count}, quantities(nodes));
          found += count == 0 ? " - |"
                              : fmt::format(" {} % |",
                                            one.detection > 0.995 ? "100" : fmt::format("{:.2g}", 100 * one.detection));
          wrong = std::max(wrong, one.false_in_60);
        }
        fmt::print("| {} | {} | {:g} % |{} {:.2g} |\n", nodes, part > 0 && slow == 0 ? 1 : slow, 100 * mad, found,
                   wrong);
      }
    }
  }
  const Found drifting =
      judge({.nodes = 1000, .mad = 0.004, .slow_by = 0.03, .slow = 10, .drifting = true}, quantities(1000));
  fmt::print(
      "\nHalf of 1,000 nodes 1 % faster than the other half (MAD of each half 0.4 %): {:.2g} % of nodes that are "
      "3 % slow found, {:.2g} false in 60 rows.\n",
      100 * drifting.detection, drifting.false_in_60);
}

/// A campaign of `nodes` nodes with `rows` rows each; every hundredth is 10 % slow.
void make(const fs::path& folder, int nodes, int rows) {
  fs::create_directories(campaign::nodes_folder(folder));
  campaign::Plan plan{.created_at = "2026-01-01T00:00:00Z",
                      .gable_version = "made up",
                      .options = {},
                      .request = {},
                      .devices = {},
                      .retry_budget_s = {}};
  for (int n = 0; n < nodes; ++n) plan.nodes.push_back(fmt::format("n{:05}", n));
  result::write_file_atomically(campaign::plan_file(folder), campaign::plan_text(plan));
  plan.id = campaign::plan_id(plan);
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.006);
  for (int n = 0; n < nodes; ++n) {
    campaign::NodeSummary summary{.plan = plan.id, .node = plan.nodes[static_cast<std::size_t>(n)]};
    summary.measured_at = "2026-01-01T00:00:00Z";
    summary.mode = Mode::quick;
    summary.devices = {{"cuda:0", "made up"}};
    for (int f = 0; f < 40; ++f) summary.facts.push_back({fmt::format("fact {}", f), n % 997 == f ? "other" : "same"});
    for (int r = 0; r < rows; ++r) {
      campaign::SummaryRow row{.name = fmt::format("point/operator/kokkos/fp32/m=2048,n=2048,k={}", r),
                               .unit = "flop/s"};
      row.value = 1e13 * (1 + noise(random)) * (n % 100 == 7 ? 0.9 : 1);
      row.low = *row.value * 0.998;
      row.high = *row.value * 1.002;
      row.clock_hz = 1.9e9;
      row.power_w = 480 + 2000 * noise(random);
      row.temperature_c = 60 + 300 * noise(random);
      summary.rows.push_back(std::move(row));
    }
    const auto path = campaign::summary_file(folder, {summary.node});
    result::write_file_atomically(path, campaign::summary_text(std::move(summary)));
  }
}

/// Time and memory of a report of such a campaign with all of its files, and whether they are what is promised of
/// 10,000 nodes with 60 rows. False: they are not.
bool time_report(int nodes, int rows) {
  constexpr double most_s = 10, most_bytes = 1e9;
  const TemporaryFolder scratch("gable-bench");
  const fs::path folder = scratch / "campaign";
  make(folder, nodes, rows);
  const Finished report = run_child({(fs::path(own_folder()) / "gable").string(), "campaign", "report", folder.string(),
                                     "--files", (scratch / "files").string()});
  if (report.exit_code > 1) throw Error(fmt::format("the report ends with {}: {}", report.exit_code, report.output));
  const bool met = report.wall_s < most_s && report.peak_rss_bytes < most_bytes;
  fmt::print("{} nodes x {} rows: {:.1f} s, {:.0f} MB; goal (below {:g} s and {:g} GB) {}\n", nodes, rows,
             report.wall_s, report.peak_rss_bytes / 1e6, most_s, most_bytes / 1e9, met ? "met" : "missed");
  return met;
}

int run(int argc, char** argv) {
  std::string folder;
  bool report{};
  int nodes{}, rows{};
  po::options_description described("gable_bench_fleet: what the rule of campaigns finds");
  auto add = described.add_options();
  add("make", po::value(&folder)->value_name("FOLDER"), "write summaries of a made-up fleet instead");
  add("report", po::bool_switch(&report),
      "measure a report of such a fleet instead; exit code 1: slower or larger than its goal");
  add("nodes", po::value(&nodes)->default_value(10'000), "of --make and --report");
  add("rows", po::value(&rows)->default_value(60), "of --make and --report");
  if (!read_options(argc, argv, described)) return 0;
  if (!folder.empty()) {
    make(folder, nodes, rows);
  } else if (report) {
    return time_report(nodes, rows) ? 0 : 1;
  } else {
    print_table();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return gable::bench::run_program("gable_bench_fleet", run, argc, argv); }
