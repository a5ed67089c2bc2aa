#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gable::emulated {

struct Function;
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

enum class Flow : unsigned char { next, branch, return_, exit, barrier, call };

enum class SpecialRegister : unsigned char {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  smid,
  nsmid,
  nwarpid,
  dynamic_smem_size,
  total_smem_size,
  gridid,
  warp_sz,
  clusterid_x
};

/// One instruction, ready to run.
struct Instruction {
  /// What it does in the lanes of the mask. Empty for branches, returns, calls and barriers, which the warp does itself;
  /// bar.red counts predicates here before it waits.
  std::function<void(Warp&, LaneMask)> execute;
  Flow flow = Flow::next;
  bool guarded = false, guard_negated = false;
  Register guard = 0;
  int target = -1;  ///< of a branch
  std::vector<Register> destinations,
      sources;            ///< registers that it writes and reads; a barrier: its number and, if given, how many threads
  bool is_wgmma = false;  ///< its destinations are accumulators, which it reads and writes later
  Function* callee = nullptr;                ///< of a call
  std::vector<Register> arguments, results;  ///< of a call: registers with addresses in the caller's parameter space
  std::string text;
};

}  // namespace gable::emulated
