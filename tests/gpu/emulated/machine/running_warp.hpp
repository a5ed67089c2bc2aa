#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/gpu/emulated/machine/warp.hpp"

namespace gable::emulated {

/// A warp, and the functions that it is in.
class RunningWarp {
 public:
  Warp warp;

  /// Puts it at the start of a kernel.
  void begin(const Launch& launch, Block& block, int index);
  /// Runs it until none of its lanes can go on, or for so many instructions that others should have their turn. Throws
  /// EmulationError.
  void run(std::uint64_t limit);
  /// Lanes that have not ended.
  LaneMask alive() const;
  /// The instruction that it executes or executed last; nullptr before the first.
  const Instruction* instruction() const { return instruction_; }
  /// The barrier at which a lane waits.
  const Instruction& barrier_of(int lane) const;
  /// Throws EmulationError for copies and products that nobody waited for.
  void check_end() const;

 private:
  /// What a call of a function comes back to.
  struct Call {
    const Instruction* instruction;
    LaneMask lanes;
    std::array<int, warp_size> at;
    std::array<LaneState, warp_size> state;
  };
  void begin_frame(Frame& frame, Function& function, std::uint64_t parameter_stride);
  void go_on(LaneMask lanes, int at, int others, std::uint64_t end);
  void turn(const Instruction& instruction, LaneMask lanes);
  void wait(const Instruction& barrier, LaneMask lanes);
  void call(const Instruction& instruction, LaneMask lanes);
  void come_back();
  void check_registers(const Instruction& instruction);

  std::vector<std::unique_ptr<Frame>> frames_;  ///< the kernel's, and those of the functions it calls; used again
  std::vector<Call> calls_;
  const Instruction* instruction_ = nullptr;
  std::uint64_t executed_ = 0;
};

/// Lets those go on who wait at a barrier at which all have arrived. Whether there were any. Throws EmulationError.
bool release_barriers(Block& block, std::vector<RunningWarp>& warps);

}  // namespace gable::emulated
