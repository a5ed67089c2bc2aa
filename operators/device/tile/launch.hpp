#pragma once
#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <limits>

#include "core/error.hpp"
#include "operators/device/chunk.hpp"
#if defined(KOKKOS_ARCH_AMD_GFX1100)
#include "operators/device/tile/hip_rdna3.hpp"
#elif defined(__HIPCC__)
#include "operators/device/tile/hip.hpp"
#else
#include "operators/device/tile/cuda.hpp"
#endif
#if defined(GABLE_WGMMA)
#include "operators/device/tile/cuda_hopper.hpp"
#endif

namespace gable::device::tile {

/// The machine of the GPU that this is compiled for.
#if defined(KOKKOS_ARCH_AMD_GFX1100)
using Machine = Rdna3Machine;
#elif defined(__HIPCC__)
using Machine = HipMachine;
#else
using Machine = CudaMachine;
#endif

#if defined(GABLE_WGMMA)
/// What multiplies by warpgroups, where this is compiled for a GPU that can.
using GroupMachine = HopperMachine;
/// Whether it takes operands of this type, of which A, B or both may run across the depth.
template <class T, bool left_across, bool right_across>
inline constexpr bool by_groups = warp::Wgmma::multiplies<T, left_across, right_across>;
#else
using GroupMachine = Machine;
template <class T, bool left_across, bool right_across>
inline constexpr bool by_groups = false;
#endif

/// Multiprocessors (AMD: compute units) of the device.
inline int multiprocessors(const Exec& exec) {
#if defined(__HIPCC__)
  return exec.hip_device_prop().multiProcessorCount;
#else
  return exec.cuda_device_prop().multiProcessorCount;
#endif
}

/// Blocks that a multiprocessor has registers for. On AMD launch bounds count waves of a SIMD, of which a compute unit
/// has four.
template <class Block>
#if defined(__HIPCC__)
inline constexpr int blocks_at_once = 4 * Block::blocks_at_once / Block::warps;
#else
inline constexpr int blocks_at_once = Block::blocks_at_once;
#endif

/// A thread block as a Kokkos team: each warp is one of its threads.
template <class Block>
struct TeamBlock {
  static constexpr int alignment = Block::Form::scratch_alignment;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Block::threads, Block::blocks_at_once>>;
  using Member = typename Policy::member_type;
  Block block;
  int scratch_bytes;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    auto* scratch = static_cast<unsigned char*>(team.team_shmem().get_shmem_aligned(scratch_bytes, alignment));
    block(team.league_rank(), team.team_rank() * Machine::Form::lanes + Machine::lane(), scratch);
  }
};

/// Scratch of a team, bytes: what Kokkos grants (48 KiB in its older releases, what the device has in newer ones).
template <class Block>
int most_scratch_bytes() {
  return TeamBlock<Block>::Policy::scratch_size_max(0) - TeamBlock<Block>::alignment;
}

/// The policy, which on NVIDIA asks for as much of a multiprocessor's first-level memory to be scratch as the blocks
/// need that its registers have room for: left to the driver, the second one may find none.
template <class Policy>
auto with_scratch(const Policy& policy) {
#if defined(__CUDACC__)
  return Kokkos::Experimental::prefer(policy, Kokkos::Experimental::DesiredOccupancy(100));
#else
  return policy;
#endif
}

/// Enqueues block(i, thread, scratch) for each i < blocks. Throws Error if there are more blocks than a grid can have.
template <class Block>
void launch(const char* name, const Exec& exec, Index blocks, const Block& block, int scratch_bytes) {
  if (blocks > std::numeric_limits<int>::max()) throw Error(fmt::format("{}: {} blocks are too many", name, blocks));
  typename TeamBlock<Block>::Policy policy(exec, static_cast<int>(blocks), Block::warps, Machine::Form::lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(scratch_bytes + TeamBlock<Block>::alignment));
  Kokkos::parallel_for(name, with_scratch(policy), TeamBlock<Block>{block, scratch_bytes});
}

}  // namespace gable::device::tile
