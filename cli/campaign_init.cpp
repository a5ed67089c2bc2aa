#include <algorithm>
#include <regex>

#include "cli/campaign.hpp"
#include "cli/options.hpp"
#include "cli/task.hpp"
#include "core/error.hpp"
#include "core/questions/campaign/folder.hpp"
#include "core/questions/campaign/nodelist.hpp"
#include "core/questions/campaign/plan.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/text/environment.hpp"
#include "core/text/safe_text.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

Usage campaign_init_usage() {
  Usage usage{.synopsis = "campaign init DIR [options]",
              .summary = "Makes the folder of a campaign: plan.json, which every node measures, and campaign.sbatch.",
              .example = "gable campaign init acceptance --suite procurement --nodes 'n[001-004]'"};
  auto add = usage.options.add_options();
  add("dir", one("DIR"), "the folder to make, where every node sees it");
  add("nodes", one("LIST"), "nodes that are expected, as Slurm writes them: n[001-004,007]; absent ones are reported");
  add_plan_options(usage.options);
  usage.positional.add("dir", 1);
  return usage;
}

/// The words of the command line that say what is measured.
std::vector<std::string> options_of(const Arguments& arguments, const std::string& folder) {
  std::vector<std::string> options = arguments;
  if (const auto named = std::ranges::find(options, folder); named != options.end()) options.erase(named);
  return options;
}

}  // namespace

int campaign_init(const Arguments& arguments) {
  const auto values = parse(campaign_init_usage(), arguments);
  if (!values) return exit_ok;
  if (!values->has("dir")) throw Error("campaign init needs a folder to make");
  const auto& name = values->text("dir");
  if (name.empty()) throw Error("campaign init: the folder has no name");
  const Task task = read_plan(*values);
  campaign::Plan plan{.created_at = result::utc_now(),
                      .gable_version = result::this_build().version,
                      .options = options_of(arguments, name),
                      .request = task.request,
                      .devices = task.devices,
                      .retry_budget_s = task.retry_budget_s};
  const std::string nodes = values->text("nodes");
  if (values->has("nodes")) plan.nodes = campaign::expand_nodelist(nodes);
  static const std::regex like_range("(^|,)([^,[\\]]*[^0-9,[\\]])([0-9]+)-\\2([0-9]+)(,|$)");
  if (std::smatch found; std::regex_search(nodes, found, like_range))
    throw Error("--nodes: " + found.format("'$2$3-$2$4' is one name; the range is '$2[$3-$4]'"));
  const fs::path folder = fs::absolute(name).lexically_normal();
  const result::NamedTexts files{
      {campaign::batch_file({}).string(), campaign::batch_script(plan, folder, this_program(), plan.nodes)},
      {campaign::nodes_folder({}).string() + "/", ""},
      {campaign::plan_file({}).string(), campaign::plan_text(plan)}};
  result::write_new_folder(folder, files);
  fmt::print("{}: a campaign of {}: plan.json, and campaign.sbatch to look over and submit\n", printable(name),
             plan.nodes.empty()       ? "any nodes"
             : plan.nodes.size() == 1 ? "1 node"
                                      : fmt::format("{} nodes", plan.nodes.size()));
  return exit_ok;
}

}  // namespace gable::cli
