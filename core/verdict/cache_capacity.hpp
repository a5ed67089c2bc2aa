#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/capacity.hpp"
#include "core/result/result.hpp"

namespace gable {

/// What was found of a cache, byte; no more than the system tells.
struct FoundBytes {
  double bytes{};  ///< CacheStep::whole
  /// From the least to the most of several series and of the 95 % intervals over their rounds, of CacheStep::whole and,
  /// above it, CacheStep::holds.
  double low{}, high{};
};

struct CacheCapacity {
  std::string level;
  double told_bytes{};                ///< what the system says, of all cores of the scope
  std::optional<FoundBytes> streams;  ///< by all of them; nothing where no sweep shows the cache
  double told_to_one_bytes{};         ///< what the first core sees of it
  std::optional<FoundBytes> chase;    ///< by the first core: scattered accesses, each waiting for the one before
};

/// The caches of a device at a scope, innermost first, by its sweeps over working sets (cache_steps()); empty where
/// there are none. Interval over rounds: Student's t of the logarithms (measure::between_rounds()), from three rounds
/// in which the cache shows; neighbours change what is found from round to round.
std::vector<CacheCapacity> cache_capacities(const Result& result, const std::string& device, Scope scope);

/// What the first core's chase over working sets shows of each cache, innermost first; empty where there is none.
std::vector<std::optional<CacheStep>> chase_steps(std::span<const Curve> curves, const DeviceInfo& device, Scope scope);

}  // namespace gable
