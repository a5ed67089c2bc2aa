#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gable::openmp {

/// CPUs that the calling thread may run on, ascending. Throws Error if the system does not tell.
std::vector<int> cpus_of_this_thread();
/// The same for the first thread of another process; nothing if the system does not tell.
std::vector<int> cpus_of(int process);
/// Confines the calling thread to these cpus; false if the system refuses or none is given.
bool confine_this_thread(const std::vector<int>& cpus);

/// The calling thread may run on these cpus while this object lives, and on its former ones afterwards.
class WithCpus {
 public:
  explicit WithCpus(const std::vector<int>& cpus) : former_(cpus_of_this_thread()) { confine_this_thread(cpus); }
  ~WithCpus() { confine_this_thread(former_); }
  WithCpus(const WithCpus&) = delete;
  WithCpus& operator=(const WithCpus&) = delete;

 private:
  std::vector<int> former_;
};

/// What a process may use of its machine. taskset, Slurm and OpenMP's places leave a mask of cpus, cgroups leave sets
/// of cpus and NUMA nodes and a quota of time, numactl leaves a memory policy.
struct Binding {
  std::optional<std::set<int>> cpus{};          ///< hardware threads; none: all
  std::optional<std::set<int>> memory_nodes{};  ///< NUMA nodes that its memory may come from; none: all
  bool interleaved{};                           ///< memory goes to these in turn, wherever the cpu that touches it is
  std::optional<double> quota{};                ///< CPU seconds per second
};

/// Of this process. The cpus are those of usable_cpus().
Binding binding_of_this_process();

/// Where the kernel puts the memory that a thread touches first: "first touch", "bound to NUMA nodes 0-1", "preferably
/// NUMA nodes 1", "interleaved over NUMA nodes 0-1"; "unknown" where it does not tell.
std::string memory_policy();

}  // namespace gable::openmp
