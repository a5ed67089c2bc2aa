#include "backends/openmp/cpuid_caches.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gable::openmp {

std::vector<CpuidCache> cpuid_caches() {
  std::vector<CpuidCache> caches;
#if defined(__x86_64__)
  for (const unsigned leaf : {4u, 0x8000001Du}) {
    for (unsigned index = 0; index < 8; ++index) {
      unsigned eax{}, ebx{}, ecx{}, edx{};
      if (__get_cpuid_count(leaf, index, &eax, &ebx, &ecx, &edx) == 0 || (eax & 0x1Fu) == 0) break;
      if ((eax & 0x1Fu) == 2) continue;  // instructions
      const double ways = (ebx >> 22) + 1.0, partitions = ((ebx >> 12) & 0x3FFu) + 1.0;
      const double line = (ebx & 0xFFFu) + 1.0, sets = ecx + 1.0;
      caches.push_back({static_cast<int>((eax >> 5) & 7u), ways * partitions * line * sets});
    }
    if (!caches.empty()) break;
  }
#endif
  return caches;
}

}  // namespace gable::openmp
