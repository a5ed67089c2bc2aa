#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/gpu/emulated/ptx/module.hpp"

namespace gable::emulated {

struct Extent {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};
/// "(1, 0, 0)".
std::string text_of(const Extent& place);

struct Launch {
  Function* kernel;
  Extent grid, block;
  std::vector<std::byte> parameters;
  std::uint64_t dynamic_shared_bytes;
  int warp_order = 0;  ///< which blocks, and warps of a block, run first: 0 the first, 1 the last, above that others
  bool blocks_may_race = false;                  ///< in global memory
  std::uint64_t limit = std::uint64_t{1} << 28;  ///< instructions of a warp, above which the kernel is said to spin
};

/// Runs all blocks of a launch, one after the other. Throws EmulationError with kernel, block, warp and instruction.
void run(const Launch& launch);

/// Instructions of warps that were executed in this process.
std::uint64_t executed_instructions();

}  // namespace gable::emulated
