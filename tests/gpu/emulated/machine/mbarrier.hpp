#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tests/gpu/emulated/machine/access_history.hpp"

namespace gable::emulated {

class Warp;

/// What belongs to a barrier object in shared memory (mbarrier) besides its 64 bits there.
struct Mbarrier {
  WarpClock arriving, completed;  ///< joined from those who arrived in the current phase, and in those before
  /// Lanes of each warp whose try_wait has failed since the last phase completed: the next one succeeds.
  std::array<std::uint32_t, max_warps> tried{};
  /// A lane that arrives when its asynchronous copies have landed (cp.async.mbarrier.arrive).
  struct Arrival {
    Warp* warp;
    int lane;
  };
  std::vector<Arrival> to_come;
};

}  // namespace gable::emulated
