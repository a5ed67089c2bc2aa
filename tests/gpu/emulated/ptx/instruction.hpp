#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {

class Warp;

/// Bit l: lane l of a warp takes part.
using LaneMask = std::uint32_t;
inline constexpr LaneMask all_lanes = 0xffffffffU;
inline constexpr int warp_size = 32;

/// Number of a register: a row of 32 values of 64 bits, one for each lane. ~i, which is negative, is constant i of the
/// function.
using Register = int;
/// The register "_", which takes what nobody wants.
inline constexpr Register no_register = 0x7fffffff;
/// What a register holds in a lane when a block begins.
using LaneValue = std::function<std::uint64_t(const Warp&, std::uint32_t lane)>;

/// Where the lanes go on. `stop`: not all of them may, so that the warp asks who can. `meet`: when all are here that
/// their member masks name.
enum class Flow : unsigned char { next, branch, exit, stop, meet };

/// One instruction, ready to run.
struct Instruction {
  /// What it does in the lanes of the mask. Empty for branches and exits, which the warp does itself.
  std::function<void(Warp&, LaneMask)> execute;
  Flow flow = Flow::next;
  bool guarded = false, guard_negated = false;
  Register guard = 0;
  int target = -1;                              ///< of a branch
  Register members = 0;                         ///< of Flow::meet
  std::vector<Register> destinations, sources;  ///< registers that it writes and reads
  /// Not 0: a wgmma of this shape. Its destinations are accumulators, which it reads and writes later.
  std::uint32_t wgmma_shape = 0;
  std::vector<Register> wgmma_held;  ///< its registers of A, which it reads later
  std::string text;
};

}  // namespace gable::emulated
