#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace gable::worker {

/// A worker executable, gable-worker-<backend>-<arch>.
struct Candidate {
  std::filesystem::path path;
  std::string backend;
  std::string arch;
};

/// Splits a worker's file name; false if it is not one.
bool parse_worker_name(const std::filesystem::path& path, Candidate& candidate);

/// Workers in the folder of this program and in ../libexec/gable, or, when the environment variable GABLE_WORKER_PATH
/// (folders separated by ':') is set, only in those. Per backend the most specific build first: native, then x86-64-v4,
/// v3, v2, …; the first that starts is used. Throws Error when GABLE_WORKER_PATH names a folder that does not exist.
std::vector<Candidate> find_workers();
/// Where find_workers() looks, for messages.
std::string worker_folders();

}  // namespace gable::worker
