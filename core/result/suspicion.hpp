#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/result/result.hpp"

namespace gable::result {

/// A ceiling that was measured but cannot be true.
struct Suspicion {
  std::size_t ceiling{};  ///< index into Result::ceilings
  std::string reason;     ///< what it exceeds, and the likely cause
};

/// Bandwidths (rows that are ok) that do not fit their working set: the lower end of the interval exceeds 101 % of the
/// upper end of the same bandwidth (device, scope, threads, access, stores, operating point, variant) of the next inner
/// level, or 101 % of the theoretical bandwidth of the level.
std::vector<Suspicion> suspicious_bandwidths(const Result& result);

/// Gives those rows the status suspect with the reason, so that they are no roofs.
void mark_suspects(Result& result);

}  // namespace gable::result
