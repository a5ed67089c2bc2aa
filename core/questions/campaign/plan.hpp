#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"

namespace gable::campaign {

/// Version of the plan and of the summaries that this build writes; others are refused.
inline constexpr int plan_version = 1;

/// Name of the fact of a run that tells which campaign's plan it followed.
inline constexpr std::string_view plan_fact = "campaign plan";
/// … and what the node was called.
inline constexpr std::string_view node_fact = "campaign node";

/// What every node of a campaign measures.
struct Plan {
  std::string id{};                  ///< plan_id() of all else
  std::string created_at;            ///< UTC, ISO 8601: two campaigns with the same options have different ids
  std::string gable_version;         ///< that made it
  std::vector<std::string> options;  ///< of `gable measure`, as they were given: for people
  Request request;                   ///< the same as it is measured, with the cases of suites and files
  std::vector<std::string> devices;  ///< ids; empty: all that a node has
  std::optional<double> retry_budget_s;
  std::vector<std::string> nodes{};  ///< that are expected; empty: nobody said
};

/// UUID of version 5 (RFC 4122: of the SHA-1 hash) of the plan's JSON without its id.
std::string plan_id(const Plan& plan);

/// JSON text of a plan file.
std::string plan_text(const Plan& plan);

/// The plan of a campaign's folder. Throws Error with one line: no plan there, not JSON, another version, a bad key, an
/// id that is not that of the content (somebody changed the file).
Plan read_plan(const std::filesystem::path& folder);

/// Nodes that a script for sbatch measures at the same time; steps follow each other.
struct BatchStep {
  std::vector<std::string> nodes{};  ///< empty: all of the job
  int retest{0}, round{1};           ///< as in NodeRun
};

/// A script for sbatch: one task a node, which runs `program` ("gable" with its path) on the folder. `nodes` as in a
/// plan. Steps are all of one retest; without any it is the campaign's own measurement.
std::string batch_script(const Plan& plan, const std::filesystem::path& folder, const std::filesystem::path& program,
                         const std::vector<std::string>& nodes, const std::vector<BatchStep>& steps = {});

}  // namespace gable::campaign
