#pragma once
#include <optional>
#include <string_view>

#include "backends/gpu/device_facts.hpp"
#include "core/model/work.hpp"

namespace gable::gpu {

/// What one multiprocessor does in a cycle.
struct Rate {
  double per_cycle{};  ///< flop (op for integers, exponentials and divisions), an FMA counts 2
  std::string_view source;
};

/// Dense rate of a unit for a storage and an accumulate type on sm_80, 86, 89, 90 and 100 and on gfx908, 90a, 942, 950
/// and 1100; nothing where it is not known. Units: vector, matrix, exp, divide. Sources are kept with
/// each.
std::optional<Rate> rate(const DeviceFacts& device, Unit unit, DType storage, DType accumulate);

/// multiprocessors x rate x clock, in flop/s or op/s.
double datasheet_rate(const DeviceFacts& device, const Rate& rate, double clock_hz);

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
