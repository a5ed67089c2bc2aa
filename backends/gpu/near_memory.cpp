#include "backends/gpu/near_memory.hpp"

#include <algorithm>
#include <iterator>

namespace gable::gpu {
namespace {

constexpr std::string_view banks = "32 banks x 4 byte a cycle";
constexpr std::string_view profiler = "ROCm Compute Profiler, peaks of its speed-of-light panels";

struct Entry {
  std::string_view isa;
  std::optional<NearRate> shared, l1;
};

/// gfx950: the profiler gives the LDS 128 bytes a cycle, announcements of the chip twice the reads of CDNA3.
constexpr Entry amd[] = {
    {"gfx908", NearRate{128, banks}, NearRate{64, profiler}},
    {"gfx90a", NearRate{128, banks}, NearRate{64, profiler}},
    {"gfx942", NearRate{128, banks}, NearRate{128, profiler}},
    {"gfx950", std::nullopt, NearRate{128, profiler}},
};

/// L1 and shared memory are the same array there (CUDA C++ Programming Guide, shared memory).
constexpr Entry nvidia{"sm_", NearRate{128, banks}, NearRate{128, banks}};

Entry entry_of(const DeviceFacts& device) {
  if (device.isa.starts_with(nvidia.isa)) return nvidia;
  const auto* found = std::ranges::find(amd, device.isa, &Entry::isa);
  return found == std::end(amd) ? Entry{} : *found;
}

}  // namespace

std::string_view shared_name(const BuiltFor& built) { return built.vendor == "AMD" ? "LDS" : "shared"; }

std::optional<NearRate> shared_rate(const DeviceFacts& device) { return entry_of(device).shared; }

std::optional<NearRate> l1_rate(const DeviceFacts& device) { return entry_of(device).l1; }

}  // namespace gable::gpu
