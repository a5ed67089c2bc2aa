#include "cli/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/error.hpp"
#include "core/questions/campaign/summary.hpp"
#include "core/verdict/named_machine.hpp"

namespace gable::cli {
namespace {

constexpr std::array parts{
    Command{"init", "makes the folder of a campaign: a plan, and a script for sbatch", campaign_init},
    Command{"run", "measures this node: what each node's task executes", campaign_run},
    Command{"report", "which nodes are slow, absent or different, from their summaries", campaign_report},
    Command{"retest", "slow nodes once more, with healthy ones: persistent or intermittent", campaign_retest},
};

void print_help() {
  fmt::print(
      "usage: gable campaign PART DIR [options]\n\n"
      "Many nodes measure one plan: one task and one file a node, without MPI.\n\n");
  for (const Command& part : parts) fmt::print("  {:<8}{}\n", part.name, part.summary);
  fmt::print(
      "\ngable campaign PART --help tells the options of a part.\n\n"
      "example:\n  gable campaign init acceptance --suite procurement --nodes 'n[001-004]'\n");
}

}  // namespace

std::span<const Command> campaign_parts() { return parts; }

void offer_judges(po::options_description& options) {
  auto add = options.add_options();
  add("against", one("REF"), "result file that every node is compared with, too");
  add("earlier", one("DIR"), "folder of an earlier campaign: every node is compared with itself, too");
  add("tolerance", one("PERCENT")->default_value("10%"), "of --against and --earlier: how much slower is accepted");
}

campaign::Fleet judged_fleet(const Options& values, const std::string& fact, bool with_retests) {
  if (!values.has("against") && !values.has("earlier") && values.is_stated("tolerance"))
    throw Error("--tolerance goes with --against or --earlier");
  campaign::FleetOptions options{.tolerance = fraction(values, "tolerance", 0), .fact = fact};
  if (values.has("against"))
    options.reference = campaign::summary_of(load_result(values.text("against")), "", {"reference"});
  std::optional<std::filesystem::path> earlier;
  if (values.has("earlier")) earlier = values.text("earlier");
  const std::filesystem::path folder = values.text("dir");
  campaign::Fleet fleet = campaign::read_fleet(folder, options, earlier);
  with_retests = with_retests && std::ranges::any_of(fleet.nodes, &campaign::FleetNode::is_open);
  std::set<std::string> slow;  // in a retest, too
  for (int number = 1; with_retests && std::filesystem::exists(campaign::retest_list(folder, number)); ++number) {
    for (const campaign::RetestRound& round : rounds_of(folder, fleet.plan, number)) {
      campaign::FleetOptions then = options;
      for (const campaign::FleetNode& node : fleet.nodes) {
        const auto again = round.find(node.name);
        if (again == round.end() || !again->second.failure.empty() || !node.is_open()) continue;
        then.again.insert_or_assign(node.name, again->second).first->second.retest = 0;
      }
      for (const campaign::FleetNode& node : campaign::read_fleet(folder, then, earlier).nodes) {
        if (!then.again.contains(node.name)) continue;
        if (node.flagged + node.to_retest > 0) slow.insert(node.name);
        if (node.verdict == campaign::NodeVerdict::pass)
          options.again.insert_or_assign(node.name, then.again[node.name]);
      }
    }
  }
  for (const std::string& name : slow) options.again.erase(name);
  return options.again.empty() ? std::move(fleet) : campaign::read_fleet(folder, options, earlier);
}

int campaign(const Arguments& arguments) {
  if (arguments.empty()) throw Error("campaign: say which part: init, run, report or retest");
  if (arguments.front() == "--help" || arguments.front() == "-h") {
    print_help();
    return exit_ok;
  }
  const auto found = std::ranges::find(parts, arguments.front(), &Command::name);
  if (found == parts.end())
    throw Error(fmt::format("campaign: unknown part '{}'; gable campaign --help lists them", arguments.front()));
  return found->run({arguments.begin() + 1, arguments.end()});
}

}  // namespace gable::cli
