#include "backends/openmp/affinity.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "core/error.hpp"

namespace gable::openmp {
namespace {

// The kernel refuses to fill masks smaller than its own; no Linux is built for more cpus than this.
constexpr int most_cpus = 8192;

/// A set of cpus of any size.
class CpuMask {
 public:
  CpuMask() : bytes_(CPU_ALLOC_SIZE(most_cpus)), set_(CPU_ALLOC(most_cpus)) { CPU_ZERO_S(bytes_, set_); }
  ~CpuMask() { CPU_FREE(set_); }
  CpuMask(const CpuMask&) = delete;
  CpuMask& operator=(const CpuMask&) = delete;
  void add(int cpu) { CPU_SET_S(static_cast<std::size_t>(cpu), bytes_, set_); }
  bool has(int cpu) const { return CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes_, set_); }
  bool read(int process) { return sched_getaffinity(process, bytes_, set_) == 0; }
  bool apply() const { return sched_setaffinity(0, bytes_, set_) == 0; }

 private:
  std::size_t bytes_;
  cpu_set_t* set_;
};

}  // namespace

std::vector<int> cpus_of(int process) {
  CpuMask mask;
  std::vector<int> cpus;
  if (!mask.read(process)) return cpus;
  for (int cpu = 0; cpu < most_cpus; ++cpu) {
    if (mask.has(cpu)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> cpus_of_this_thread() {
  constexpr int this_thread = 0;
  auto cpus = cpus_of(this_thread);
  if (cpus.empty()) throw Error(fmt::format("cannot read the cpu affinity: {}", std::strerror(errno)));
  return cpus;
}

bool confine_this_thread(const std::vector<int>& cpus) {
  if (cpus.empty()) return false;
  CpuMask mask;
  for (const int cpu : cpus) mask.add(cpu);
  return mask.apply();
}

}  // namespace gable::openmp
