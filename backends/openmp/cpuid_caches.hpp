#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "core/device/device_info.hpp"

namespace gable::openmp {

struct CpuidCache {
  int level{};
  double size_bytes{};
};

/// Data and unified caches by CPUID's leaf that lists each of them: 4 on Intel, 0x8000001D on AMD. Nothing where a
/// hypervisor leaves it empty, and on processors without CPUID.
std::vector<CpuidCache> cpuid_caches();

/// What AMD's CPUID leaf 0x80000006 has of the L3 of the whole package, byte, where it is all that can be known: the
/// leaf with each cache and who shares it (0x8000001D) is empty, as some hypervisors leave it. Nothing elsewhere, and
/// on processors of others, which leave that field 0.
std::optional<double> package_l3_bytes();

/// The L3 that so many cores reach, where only that of the package is known. AMD's processors have an L3 of their own
/// in each complex of cores, and cores use that of their complex alone; how many complexes the cores come from is not
/// known, so it is as few as can hold them. `shown` is the level as the system shows it, a whole package for every
/// core. Nothing for a microarchitecture whose complexes are not known, or if no more is shown than a complex has.
/// `model` is CPUID's: dense cores (Zen 4c, Zen 5c) have other complexes under the name of their family.
/// Source of the sizes: AMD's overviews of EPYC 7002, 7003, 9004 and 9005 (L3 and cores of a complex).
std::optional<MemoryLevel> l3_of_complexes(const MemoryLevel& shown, double package_bytes,
                                           std::string_view microarchitecture, int model, int cores);

}  // namespace gable::openmp
