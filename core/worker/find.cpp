#include "core/worker/find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/error.hpp"

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
  return {here, here / ".." / "libexec" / "gable"};
}

/// native before the others, then the names backwards: v4 before v3, sm_90a before sm_80.
bool preferred(const Candidate& a, const Candidate& b) {
  if (a.backend != b.backend) return a.backend > b.backend;  // openmp before hip before cuda: the host first
  if ((a.arch == "native") != (b.arch == "native")) return a.arch == "native";
  return a.arch > b.arch;
}

}  // namespace

bool parse_worker_name(const fs::path& path, Candidate& candidate) {
  constexpr std::string_view prefix = "gable-worker-";
  const std::string name = path.filename().string();
  if (name.compare(0, prefix.size(), prefix) != 0) return false;
  const auto dash = name.find('-', prefix.size());
  candidate.path = path;
  candidate.backend = name.substr(prefix.size(), dash == std::string::npos ? dash : dash - prefix.size());
  candidate.arch = dash == std::string::npos ? "" : name.substr(dash + 1);
  return !candidate.backend.empty();
}

std::vector<Candidate> find_workers() {
  std::vector<Candidate> found;
  for (const fs::path& folder : folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      Candidate candidate;
      if (entry.is_regular_file() && parse_worker_name(entry.path(), candidate)) found.push_back(candidate);
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
