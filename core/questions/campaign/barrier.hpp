#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace gable::campaign {

/// Lets the tasks of one job begin together without MPI: each puts a file into a folder that all see, and waits until
/// as many are there as there are nodes. No clock of two nodes is compared.
struct Barrier {
  std::filesystem::path folder;  ///< of the campaign
  std::string job;               ///< job_name(), another one for every start
  std::string node;
  std::size_t nodes{};  ///< that are waited for
  double limit_s{};     ///< after which this node goes on without the others
};

/// Name of the job or step that this process is part of: of Slurm (with the count of its restarts), Flux, PBS, LSF or
/// PMIx (mpirun), else GABLE_CAMPAIGN_JOB; empty where none tells.
std::string job_name();

/// How many nodes the job has, as Slurm tells; 0 where nobody does.
std::size_t nodes_of_job();

/// Waits, and returns how many nodes stood at the barrier when this one went on. Throws Error where the folder cannot
/// be written; ends early, with less than `nodes`, when a signal asks this program to stop (worker::interrupted()).
std::size_t wait_at(const Barrier& barrier);

}  // namespace gable::campaign
