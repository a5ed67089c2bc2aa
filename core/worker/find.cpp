#include "core/worker/find.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/device/cpu_target.hpp"
#include "core/error.hpp"
#include "core/text/posix_file.hpp"

namespace gable::worker {
namespace {

namespace fs = std::filesystem;

/// Empty: the usual places.
std::string_view asked_for() {
  const char* path = std::getenv("GABLE_WORKER_PATH");
  return path ? path : "";
}

std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  if (std::string_view rest = asked_for(); !rest.empty()) {
    while (!rest.empty()) {
      const auto end = std::min(rest.find(':'), rest.size());
      const fs::path folder(rest.substr(0, end));
      if (!fs::is_directory(folder)) throw Error(fmt::format("GABLE_WORKER_PATH: no folder '{}'", folder.string()));
      found.push_back(folder);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return found;
  }
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  return {here, here / ".." / "libexec" / "gable", here / ".."};  // the last: of the loader that a package brings
}

/// Of the target that a CPU worker is named after; null for others.
const CpuTarget* cpu_target_of(const Candidate& candidate) {
  return candidate.backend == "openmp" ? find_cpu_target(candidate.target) : nullptr;
}

/// 0: not in the table.
int rank_of(const Candidate& candidate) {
  const CpuTarget* target = cpu_target_of(candidate);
  return target ? target->rank : 0;
}

}  // namespace

bool preferred(const Candidate& a, const Candidate& b) {
  if (a.backend != b.backend) return a.backend > b.backend;  // openmp before hip before cuda: the host first
  if (rank_of(a) != rank_of(b)) return rank_of(a) > rank_of(b);
  return a.target > b.target;
}

std::string refusal(const Candidate& candidate, std::span<const std::string> flags) {
  const CpuTarget* target = cpu_target_of(candidate);
  if (!target) return {};
  const auto missing = missing_flags(*target, flags);
  if (missing.empty()) return {};
  return fmt::format("its code needs {}, which this CPU lacks", fmt::join(missing, ", "));
}

bool parse_worker_name(const fs::path& path, Candidate& candidate) {
  constexpr std::string_view prefix = "gable-worker-";
  const std::string name = path.filename().string();
  if (name.compare(0, prefix.size(), prefix) != 0) return false;
  const auto dash = name.find('-', prefix.size());
  candidate.path = path;
  candidate.backend = name.substr(prefix.size(), dash == std::string::npos ? dash : dash - prefix.size());
  candidate.target = dash == std::string::npos ? "" : name.substr(dash + 1);
  return !candidate.backend.empty();
}

std::vector<Candidate> find_workers() {
  std::vector<Candidate> found;
  for (const fs::path& folder : folders()) {
    std::error_code error;
    for (const fs::path& path : listing_of(folder)) {
      Candidate candidate;
      if (fs::is_regular_file(path, error) && parse_worker_name(path, candidate)) found.push_back(candidate);
    }
  }
  std::sort(found.begin(), found.end(), preferred);
  return found;
}

std::string worker_folders() {
  if (asked_for().empty()) return "beside gable or in ../libexec/gable";
  return fmt::format("in GABLE_WORKER_PATH ({})", asked_for());
}

}  // namespace gable::worker
