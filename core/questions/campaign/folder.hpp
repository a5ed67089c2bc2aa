#pragma once
#include <filesystem>
#include <string>
#include <vector>

/// Where the files of a campaign lie in its folder.
namespace gable::campaign {

/// Which measurement of a node: 0 is the campaign's own, 1 and on are retests.
struct NodeRun {
  std::string node;  ///< is_node_name()
  int retest{0};
  int round{1};  ///< of a retest: slow nodes and controls take turns in each
};

std::filesystem::path plan_file(const std::filesystem::path& folder);
/// The script for sbatch, of the campaign or of a retest.
std::filesystem::path batch_file(const std::filesystem::path& folder, int retest = 0);
/// The nodes that a retest measures, one a line.
std::filesystem::path retest_list(const std::filesystem::path& folder, int retest);
std::filesystem::path nodes_folder(const std::filesystem::path& folder);
/// nodes/NODE.json, nodes/NODE.retest-1.json, of its second round nodes/NODE.retest-1.round-2.json
std::filesystem::path result_file(const std::filesystem::path& folder, const NodeRun& run);
/// The same, ending in .summary.json.
std::filesystem::path summary_file(const std::filesystem::path& folder, const NodeRun& run);
/// nodes/NODE.lock: held by the task that measures the node.
std::filesystem::path lock_file(const std::filesystem::path& folder, const std::string& node);

/// Nodes that have a summary, sorted by name. Throws Error where the folder cannot be read.
std::vector<std::string> nodes_with_summary(const std::filesystem::path& folder, int retest = 0, int round = 1);
/// Nodes whose task has begun: every task takes the node's lock first. Sorted; throws as nodes_with_summary() does.
std::vector<std::string> nodes_begun(const std::filesystem::path& folder);

}  // namespace gable::campaign
