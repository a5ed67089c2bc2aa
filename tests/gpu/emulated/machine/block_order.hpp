#pragma once
#include <cstdint>

#include "tests/gpu/emulated/machine/launch.hpp"
#include "tests/gpu/emulated/machine/shared_memory.hpp"

/// What orders the blocks of a launch, which run here one after the other, and what they do to global memory: nothing,
/// unless the earlier one has fenced and then written something atomically, and the later one has accessed something
/// atomically and then fenced. That both mean the same place is not checked, nor are threads of one block.
namespace gable::emulated {

/// `may_race`: nothing is an error.
void begin_launch(bool may_race);
void begin_block(const Extent& id);

/// A fence for the whole device, of any thread of the block.
void fence_device();

/// Throws EmulationError for bytes that a block before has accessed which nothing orders, if one of both writes and not
/// both are atomic. All lie in one allocation.
void use_global(AccessKind kind, std::uint64_t address, std::uint64_t bytes);

}  // namespace gable::emulated
