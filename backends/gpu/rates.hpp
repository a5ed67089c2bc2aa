#pragma once
#include <optional>
#include <string_view>

#include "backends/gpu/device_facts.hpp"
#include "core/model/work.hpp"

namespace gable::gpu {

/// What one multiprocessor does in a cycle.
struct Rate {
  double per_cycle{};  ///< flop (op for integers and exponentials), an FMA counts 2
  std::string_view source;
};

/// Dense rate of a unit for a storage and an accumulate type on sm_80, 86, 89, 90 and 100 and on gfx908, 90a, 942, 950
/// and 1100; nothing where it is not known. Units: vector, matrix, exp. Sources are kept with each.
std::optional<Rate> rate(const DeviceFacts& device, Unit unit, DType storage, DType accumulate);

/// multiprocessors x rate x clock, in flop/s or op/s.
double theory(const DeviceFacts& device, const Rate& rate, double clock_hz);

}  // namespace gable::gpu
