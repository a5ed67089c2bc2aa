#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "tests/gpu/emulated/machine/launch.hpp"
#include "tests/gpu/emulated/machine/shared_memory.hpp"

namespace gable::emulated {

/// Registers and memory of the threads of a warp, which warps of later blocks use again.
struct Frame {
  Function* function = nullptr;
  std::vector<std::uint64_t> registers;  ///< [register][lane]
  std::vector<std::byte> local;          ///< of all lanes, one after the other
  /// What matters to wgmma: when a register was last used (executed_instructions()), by a product of which shape (0: by
  /// another instruction), and how many products under way still have it.
  struct Use {
    std::uint64_t at = 0;
    std::uint32_t shape = 0, in_flight = 0;
  };
  std::vector<Use> uses;

  const std::byte* local_of(std::uint32_t lane) const { return local.data() + local.size() / warp_size * lane; }
};

struct Block;

/// An asynchronous copy of a warp into shared memory.
struct Copy {
  LaneMask lanes;                                 ///< those whose part has not landed
  std::uint64_t bytes;                            ///< of each lane
  std::array<std::uint64_t, warp_size> to, from;  ///< addresses of this process
  std::array<std::uint32_t, warp_size> read;      ///< bytes that are read; zeros follow
  std::array<std::uint32_t, warp_size> group;
};

/// 32 lanes that run together until their ways part; of several groups the one with the lowest instruction goes first.
class Warp {
 public:
  Block* block = nullptr;
  Frame* frame = nullptr;
  int index = 0;                         ///< in the block
  LaneMask running = 0, waiting = 0;     ///< lanes that can go on, and that wait at a barrier of the block
  LaneMask held = 0;                     ///< running ones that wait for lanes that their member masks name
  std::size_t barrier = 0;               ///< at which they wait
  std::array<int, warp_size> at{};       ///< number of the lane's next instruction
  const Instruction* current = nullptr;  ///< that it executes or executed last
  WarpClock clock;
  std::uint32_t epoch = 0;  ///< SharedMemory::new_epoch() when its lanes met

  std::deque<Copy> copies;                             ///< that nobody has waited for, the oldest first
  std::array<std::uint32_t, warp_size> copy_groups{};  ///< that each lane has committed
  // Products of warpgroups: those of no group yet, and groups that nobody has waited for, the oldest first.
  std::vector<std::function<void()>> open_products;
  std::vector<std::vector<std::function<void()>>> product_groups;
  std::uint64_t wgmma_fenced_at = 0;  ///< executed_instructions() when it last executed wgmma.fence; 0: never
  std::size_t group_step = 0;         ///< the next of its group's

  Warp() = default;
  /// At the start of the kernel whose frame this is.
  Warp(Block& its_block, Frame& its_frame, int its_index);
  /// Runs until no lane can go on, or for so many instructions that others should have their turn. Throws
  /// EmulationError, also if it has executed more than `limit` instructions in all.
  void run(std::uint64_t limit);
  /// Lanes that have not ended.
  LaneMask alive() const { return running | waiting; }
  /// Throws EmulationError for copies and products that nobody waited for.
  void check_end() const;

  /// The 32 values of a register of the current frame.
  std::uint64_t* values(Register number) {
    return number >= 0 ? &frame->registers[static_cast<std::size_t>(number) * warp_size]
                       : frame->function->constants[static_cast<std::size_t>(~number)].data();
  }
  /// Its own clock moves on, so that what follows can be told from what was before (fences, barriers).
  void tick() { ++clock.happened_before[static_cast<std::size_t>(index)]; }
  /// Its lanes have met: what follows is ordered behind what all of them did.
  void meet();

 private:
  void run_together(LaneMask lanes, int next, int others, std::uint64_t end);
  void check_registers(const Instruction& instruction);
  LaneMask absent(const Instruction& instruction, LaneMask here);

  std::uint64_t executed_ = 0;
};

/// A thread block and what its warps share.
struct Block {
  Extent id, grid, size;
  std::uint32_t threads = 0;
  std::vector<std::byte> parameters;
  std::uint64_t dynamic_shared_begin = 0;  ///< offset in shared memory
  SharedMemory shared;
  struct Barrier {
    std::uint32_t arrived = 0, expected = 0;  ///< threads, of which each warp has 32; expected 0: all of the block
    bool result = false;                      ///< of bar.red, what all of them get
    WarpClock clock;                          ///< joined from those that have arrived
  };
  std::array<Barrier, 16> barriers;
  std::vector<Warp> warps;
  /// What the warps of a group do together: their n-th wgmma instruction is the same, and so are its operands.
  struct GroupStep {
    const Instruction* instruction;
    std::uint64_t left = 0, right = 0;
    bool add = false;
    bool operator==(const GroupStep&) const = default;
  };
  std::array<std::vector<GroupStep>, max_warps / 4> group_steps;
  explicit Block(std::uint64_t shared_bytes) : shared(shared_bytes) {}
};

/// Lets those go on who wait at a barrier at which all have arrived. Whether there were any. Throws EmulationError.
bool release_barriers(Block& block);

/// Lanes for which a condition holds.
template <class Condition>
LaneMask lanes_where(const Condition& holds) {
  LaneMask mask = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) mask |= static_cast<LaneMask>(holds(lane)) << lane;
  return mask;
}

/// Calls `each` with the number of every lane in the mask.
template <class Each>
void for_lanes(LaneMask mask, Each&& each) {
  if (mask == all_lanes) {
    for (std::size_t lane = 0; lane < warp_size; ++lane) each(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) each(static_cast<std::size_t>(__builtin_ctz(mask)));
}

}  // namespace gable::emulated
