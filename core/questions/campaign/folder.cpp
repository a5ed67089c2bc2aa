#include "core/questions/campaign/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/error.hpp"
#include "core/questions/campaign/nodelist.hpp"

namespace gable::campaign {
namespace fs = std::filesystem;
namespace {

std::string suffix(int retest, int round) {
  if (retest == 0) return "";
  return round == 1 ? fmt::format(".retest-{}", retest) : fmt::format(".retest-{}.round-{}", retest, round);
}

}  // namespace

fs::path plan_file(const fs::path& folder) { return folder / "plan.json"; }

fs::path batch_file(const fs::path& folder, int retest) {
  return folder / (retest == 0 ? "campaign.sbatch" : fmt::format("retest-{}.sbatch", retest));
}

fs::path retest_list(const fs::path& folder, int retest) { return folder / fmt::format("retest-{}.txt", retest); }

fs::path nodes_folder(const fs::path& folder) { return folder / "nodes"; }

fs::path result_file(const fs::path& folder, const NodeRun& run) {
  return nodes_folder(folder) / fmt::format("{}{}.json", run.node, suffix(run.retest, run.round));
}

fs::path summary_file(const fs::path& folder, const NodeRun& run) {
  return nodes_folder(folder) / fmt::format("{}{}.summary.json", run.node, suffix(run.retest, run.round));
}

fs::path lock_file(const fs::path& folder, const std::string& node) { return nodes_folder(folder) / (node + ".lock"); }

namespace {

/// Of the files NODE + ending the nodes.
std::vector<std::string> nodes_with(const fs::path& folder, const std::string& ending) {
  std::vector<std::string> nodes;
  std::error_code error;
  fs::directory_iterator at(nodes_folder(folder), error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.ends_with(ending)) continue;
    // of the campaign's own files a retest's have no is_node_name() before the ending
    if (const std::string node = name.substr(0, name.size() - ending.size()); is_node_name(node)) nodes.push_back(node);
  }
  if (error) throw Error(fmt::format("cannot read {}: {}", nodes_folder(folder).string(), error.message()));
  std::ranges::sort(nodes);
  return nodes;
}

}  // namespace

std::vector<std::string> nodes_with_summary(const fs::path& folder, int retest, int round) {
  return nodes_with(folder, suffix(retest, round) + ".summary.json");
}

std::vector<std::string> nodes_begun(const fs::path& folder) { return nodes_with(folder, ".lock"); }

}  // namespace gable::campaign
