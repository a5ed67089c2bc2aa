#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/result/result.hpp"

namespace gable::result {

/// A ceiling that was measured but cannot be true, or says nothing.
struct Suspicion {
  std::size_t ceiling{};  ///< index into Result::ceilings
  std::string reason;     ///< what it exceeds, and the likely cause
};

/// Bandwidths (rows that are ok) that do not fit their working set: the lower end of the interval exceeds 101 % of the
/// upper end of the same bandwidth (device, scope, threads, access, stores, operating point, variant) of the next inner
/// level, or 101 % of the theoretical bandwidth of the level.
std::vector<Suspicion> suspicious_bandwidths(const Result& result);

/// Makes rows suspect, with the reason, so that they are no roofs. In this order, so that a row which is already
/// suspect judges no other:
///  - any ceiling whose interval is wider than ± 25 % of its value;
///  - suspicious_bandwidths();
///  - a latency whose lower end exceeds 101 % of the upper end of a level further out (device, scope, implementation,
///    variant alike);
///  - a burst row whose upper end is less than 99 % of the lower end of what the same unit sustained (device, scope,
///    threads, types, implementation, variant alike).
void mark_suspects(Result& result);

}  // namespace gable::result
