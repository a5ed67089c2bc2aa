#pragma once
#include <vector>

namespace gable::openmp {

struct CpuidCache {
  int level{};
  double size_bytes{};
};

/// Data and unified caches by CPUID's leaf that lists each of them: 4 on Intel, 0x8000001D on AMD. Nothing where a
/// hypervisor leaves it empty, and on processors without CPUID.
std::vector<CpuidCache> cpuid_caches();

}  // namespace gable::openmp
