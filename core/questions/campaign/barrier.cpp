#include "core/questions/campaign/barrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>

#include "core/error.hpp"
#include "core/result/store.hpp"
#include "core/text/environment.hpp"
#include "core/text/parse_number.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"
#include "core/worker/process.hpp"

namespace gable::campaign {
namespace fs = std::filesystem;
namespace {

std::size_t files_in(const fs::path& folder) {
  // temporary files of atomic writes begin with a dot
  const auto counts = [](const fs::path& file) { return !file.filename().string().starts_with('.'); };
  return static_cast<std::size_t>(std::ranges::count_if(listing_of(folder), counts));
}

}  // namespace

std::string job_name() {
  if (std::string job = variable("GABLE_CAMPAIGN_JOB"); !job.empty()) return job;
  if (const std::string job = variable("SLURM_JOB_ID"); !job.empty())
    return fmt::format("slurm-{}.{}.{}", job, variable("SLURM_STEP_ID"), variable("SLURM_RESTART_COUNT"));
  if (std::string job = variable("FLUX_JOB_ID"); !job.empty()) return job;
  // A job of these may start mpirun several times.
  const std::string start = variable("PMIX_NAMESPACE");
  for (const char* name : {"PBS_JOBID", "LSB_JOBID"}) {
    if (const std::string job = variable(name); !job.empty())
      return start.empty() ? job : fmt::format("{}.{}", job, start);
  }
  return start;
}

std::size_t nodes_of_job() {
  for (const char* name : {"SLURM_STEP_NUM_NODES", "SLURM_JOB_NUM_NODES"}) {
    if (const auto count = parse_number<std::size_t>(variable(name))) return *count;
  }
  return 0;
}

std::size_t wait_at(const Barrier& barrier) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(barrier.limit_s);
  // thousands of nodes must not list the folder all the time
  const auto step = std::chrono::milliseconds(std::clamp<std::size_t>(barrier.nodes, 100, 5000));
  const fs::path folder = barrier.folder / "barrier" / for_file_name(barrier.job);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  result::write_file_atomically(folder / barrier.node, "");
  for (;;) {
    const std::size_t there = files_in(folder);
    const auto now = Clock::now();
    if (there >= barrier.nodes || now >= end) return there;
    if (worker::interrupted()) {
      fs::remove(folder / barrier.node, error);
      return there;
    }
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(step, end - now));
  }
}

}  // namespace gable::campaign
