#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tests/gpu/emulated/machine/launch.hpp"
#include "tests/gpu/emulated/machine/shared_memory.hpp"

namespace gable::emulated {

/// One call of a function: its registers and its memory.
struct Frame {
  Function* function = nullptr;
  const Frame* caller = nullptr;               ///< of a function: the frame that called it, whose memory it may use
  std::vector<std::uint64_t> registers;        ///< [register][lane]
  std::vector<std::byte> parameters, results;  ///< a kernel has one copy, a function one for each lane
  std::vector<std::byte> local;                ///< of all lanes
  /// For wgmma: when each register was last written by another instruction (executed_instructions()), and how many
  /// products under way will still write it.
  std::vector<std::uint64_t> written_at;
  std::vector<std::uint32_t> in_flight;
};

/// A thread block and what its warps share.
struct Block {
  Extent id, grid, size;
  std::uint32_t threads = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  SharedMemory shared;
  struct Barrier {
    std::uint32_t arrived = 0, expected = 0;  ///< threads; expected 0: all of the block
    std::uint32_t counted = 0, result = 0;    ///< bar.red: threads with the predicate, and what all of them get
    WarpClock clock;                          ///< joined from those that have arrived
  };
  std::map<int, Barrier> barriers;
  explicit Block(std::uint64_t shared_bytes) : shared(shared_bytes) {}
};

/// An asynchronous copy of a lane into shared memory: `bytes` are read, `zeros` follow.
struct Copy {
  std::uint64_t to;  ///< offset in shared memory
  std::uint64_t from;
  std::uint32_t bytes, zeros;
};

enum class LaneState : unsigned char { running, waiting, done };

/// 32 lanes that run together until their ways part; of several groups the one with the lowest instruction goes first.
class Warp {
 public:
  Block* block = nullptr;
  Frame* frame = nullptr;
  int index = 0;                    ///< in the block
  std::array<int, warp_size> at{};  ///< number of the lane's next instruction
  std::array<LaneState, warp_size> state{};
  std::array<int, warp_size> barrier{};  ///< that a waiting lane waits at
  WarpClock clock;
  /// What it knew at its last fence, which its atomic writes make known, and what its atomic reads learnt, which its
  /// next fence takes over.
  WarpClock released, acquired;

  // Copies of each lane: those of no group yet, and groups that nobody waited for yet, the oldest first.
  std::array<std::vector<Copy>, warp_size> open_copies;
  std::array<std::vector<std::vector<Copy>>, warp_size> copy_groups;
  // Products of warpgroups likewise: what is left to do when somebody waits for them.
  std::vector<std::function<void()>> open_products;
  std::vector<std::vector<std::function<void()>>> product_groups;
  std::uint64_t wgmma_fenced_at = 0;  ///< executed_instructions() when it last executed wgmma.fence; 0: never

  std::array<std::uint8_t, warp_size> carry{};  ///< of add.cc and addc

  /// The 32 values of a register of the current frame.
  std::uint64_t* values(Register number) {
    return number >= 0 ? &frame->registers[static_cast<std::size_t>(number) * warp_size]
                       : frame->function->constants[static_cast<std::size_t>(~number)].data();
  }
  /// Its own clock moves on, so that what follows can be told from what was before (fences, barriers).
  void tick() { ++clock.happened_before[static_cast<std::size_t>(index)]; }
};

/// Calls `each` with the number of every lane in the mask.
template <class Each>
void for_lanes(LaneMask mask, Each&& each) {
  if (mask == all_lanes) {
    for (int lane = 0; lane < warp_size; ++lane) each(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) each(__builtin_ctz(mask));
}

/// Where a lane's access to memory goes, checked: range, alignment to its size (a power of two), races. `shared`: the
/// address is an offset in shared memory; else it is generic. For a write, `bytes` may be written at what is returned.
/// Throws EmulationError.
enum class AccessKind : unsigned char { read, write, read_modify_write, atomic_read };
std::byte* access(Warp& warp, std::uint64_t address, std::uint64_t bytes, bool shared, AccessKind kind);

/// Lands the copies of one lane of `warp` in shared memory.
void land(Warp& warp, const std::vector<Copy>& copies);

}  // namespace gable::emulated
