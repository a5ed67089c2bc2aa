#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace gable::worker {

/// A worker executable, gable-worker-<backend>-<target>.
struct Candidate {
  std::filesystem::path path;
  std::string backend;
  std::string target;  ///< of CPUs one of cpu_target.hpp, of GPUs the architecture
};

/// Splits a worker's file name; false if it is not one.
bool parse_worker_name(const std::filesystem::path& path, Candidate& candidate);

/// Workers in the folder of this program and in ../libexec/gable, or, when the environment variable GABLE_WORKER_PATH
/// (folders separated by ':') is set, only in those. In the order of preferred(); per backend the first that this
/// machine can run and that starts is used. Throws Error when GABLE_WORKER_PATH names a folder that does not exist.
std::vector<Candidate> find_workers();

/// Order of workers: the CPU's before GPUs'; of one backend CPU targets by their rank, highest first, and other names
/// backwards (sm_90a before sm_80).
bool preferred(const Candidate& a, const Candidate& b);
/// Why a processor with these flags (cpu_target.hpp) cannot run the worker: "its code needs avx2 and fma, which this
/// CPU lacks"; empty if it can, or if its needs are not known.
std::string refusal(const Candidate& candidate, std::span<const std::string> flags);
/// Where find_workers() looks, for messages.
std::string worker_folders();

}  // namespace gable::worker
