#include "backends/openmp/cpuid_caches.hpp"

#include <fmt/format.h>

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gable::openmp {
namespace {

constexpr double mib = 1024.0 * 1024.0;

struct Complex {
  std::string_view microarchitecture;
  int first_model{}, last_model{};
  int cores{};
  double l3_bytes{};
  double largest_package_bytes{};  ///< of processors without stacked cache
  double stacked_bytes{};          ///< of a complex with stacked cache (V-Cache); 0: there is none
};
constexpr Complex complexes[] = {
    {"Zen", 0, 0xff, 4, 8 * mib, 64 * mib, 0},
    {"Zen+", 0, 0xff, 4, 8 * mib, 64 * mib, 0},
    {"Zen 2", 0, 0xff, 4, 16 * mib, 256 * mib, 0},
    {"Zen 3", 0, 0xff, 8, 32 * mib, 256 * mib, 96 * mib},
    {"Zen 4", 0, 0x9f, 8, 32 * mib, 384 * mib, 96 * mib},
    {"Zen 4", 0xa0, 0xff, 8, 16 * mib, 256 * mib, 0},   // dense: Bergamo, Siena
    {"Zen 5", 0x10, 0x1f, 16, 32 * mib, 384 * mib, 0},  // dense: Turin Dense
    {"Zen 5", 0, 0xff, 8, 32 * mib, 512 * mib, 96 * mib},
};

}  // namespace

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

std::optional<double> package_l3_bytes() {
#if defined(__x86_64__)
  if (!cpuid_caches().empty()) return {};
  unsigned eax{}, ebx{}, ecx{}, edx{};
  if (__get_cpuid(0x80000006u, &eax, &ebx, &ecx, &edx) == 0 || (edx >> 18) == 0) return {};
  return (edx >> 18) * mib / 2;
#else
  return {};
#endif
}

std::optional<MemoryLevel> l3_of_complexes(const MemoryLevel& shown, double package_bytes,
                                           std::string_view microarchitecture, int model, int cores) {
  const auto of = std::ranges::find_if(complexes, [&](const Complex& one) {
    return one.microarchitecture == microarchitecture && one.first_model <= model && model <= one.last_model;
  });
  if (of == std::end(complexes)) return {};
  // 96 MiB in all is one stacked complex of a desktop processor: three plain ones are not sold.
  const bool stacked =
      of->stacked_bytes > 0 && (package_bytes > of->largest_package_bytes || package_bytes == of->stacked_bytes);
  const double bytes = stacked ? of->stacked_bytes : of->l3_bytes;
  if (shown.size_bytes <= bytes) return {};
  MemoryLevel level = shown;
  level.size_bytes = bytes;
  level.instances = (cores + of->cores - 1) / of->cores;
  level.shared_by = std::min(cores, of->cores);
  level.source = fmt::format(
      "{:g} MiB for each complex of {} cores of {}{}; the hypervisor shows only the {:g} MiB of a whole package, and "
      "not how many complexes these cores come from",
      bytes / mib, of->cores, microarchitecture, stacked ? " with stacked cache" : "", package_bytes / mib);
  return level;
}

}  // namespace gable::openmp
