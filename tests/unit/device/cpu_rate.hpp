#pragma once
#include <optional>
#include <string_view>

#include "core/device/catalogue.hpp"

namespace gable::catalogue {

/// Rate of a microarchitecture's core; nothing if it is not known.
inline std::optional<CpuRate> cpu_rate(std::string_view microarchitecture, DType dtype, Unit unit) {
  const Cpu* cpu = find_cpu(microarchitecture);
  if (cpu == nullptr) return {};
  for (const CpuRate& rate : cpu->rates) {
    if (rate.dtype == dtype && rate.unit == unit) return rate;
  }
  return {};
}

}  // namespace gable::catalogue
