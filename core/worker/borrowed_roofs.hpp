#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/model/ceiling.hpp"
#include "core/result/result.hpp"
#include "core/worker/run_driver.hpp"

namespace gable::worker {

/// Ceilings that were measured before, for the points of a run that measures none.
struct BorrowedRoofs {
  std::vector<Ceiling> ceilings;
  std::vector<Curve> sweeps;       ///< over working sets, of the same devices and scope
  std::vector<std::string> notes;  ///< by which file's ceilings the points of a device are placed
};

/// Which of the sources' ceilings belong to the devices of a run (its host and devices are filled in) at this scope
/// with so many threads (0: every core of the scope): those of the same host, the same device (result::same_device) and
/// as many threads. A device that no source has stays without. Throws Error naming a source that fits none of the
/// devices, and why; one of an anonymous host, which is no host; and two that have the same ceiling.
BorrowedRoofs borrow_roofs(std::span<const NamedResult> sources, const Result& run, Scope scope, int threads);

/// Rows that end without a good figure: those of a run that ask for a further round. `borrowed`: roofs of other files.
worker::Doubtful doubtful_rows(Result result, Mode mode, const BorrowedRoofs& borrowed);

}  // namespace gable::worker
