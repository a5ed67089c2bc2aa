#pragma once
#include <vector>

namespace gable::openmp {

/// CPUs that the calling thread may run on, ascending. Throws Error if the system does not tell.
std::vector<int> cpus_of_this_thread();
/// The same for the first thread of another process; nothing if the system does not tell.
std::vector<int> cpus_of(int process);
/// Confines the calling thread to these cpus; false if the system refuses or none is given.
bool confine_this_thread(const std::vector<int>& cpus);

/// The calling thread may run on these cpus as long as this object lives, and on its former ones afterwards.
class WithCpus {
 public:
  explicit WithCpus(const std::vector<int>& cpus) : former_(cpus_of_this_thread()) { confine_this_thread(cpus); }
  ~WithCpus() { confine_this_thread(former_); }
  WithCpus(const WithCpus&) = delete;
  WithCpus& operator=(const WithCpus&) = delete;

 private:
  std::vector<int> former_;
};

}  // namespace gable::openmp
