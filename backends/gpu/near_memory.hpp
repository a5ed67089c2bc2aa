#pragma once
#include <optional>
#include <string_view>

#include "backends/gpu/device_facts.hpp"

namespace gable::gpu {

/// What one multiprocessor reads in a cycle from a memory of its own.
struct NearRate {
  double bytes_per_cycle{};
  std::string_view source;
};

/// The memory that the threads of a block share, as rows and people call it: shared (NVIDIA), LDS (AMD).
std::string_view shared_name(const BuiltFor& built);

/// Rates by architecture; nothing where no source states one, or two state different ones.
std::optional<NearRate> shared_rate(const DeviceFacts& device);
std::optional<NearRate> l1_rate(const DeviceFacts& device);

}  // namespace gable::gpu
