#pragma once
#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"

namespace gable::emulated {

/// Where an instruction says that its address lies; generic: it does not say. Of shared memory it is an offset there.
enum class Space : unsigned char { generic, global, shared, local, constant, parameters };
Space space_of(const Statement& statement);

/// Calls each(address, bytes) for what the lanes of the mask access, `bytes` each: once for those in turn that lie one
/// behind the other or at the same place.
template <class Each>
void for_runs(LaneMask mask, const LaneValues& addresses, std::uint64_t bytes, Each&& each) {
  std::uint64_t begin = addresses[static_cast<std::size_t>(__builtin_ctz(mask))], end = begin;
  for_lanes(mask, [&](std::size_t lane) {
    const std::uint64_t address = addresses[lane];
    if (address != end && address + bytes != end) {
      each(begin, end - begin);
      begin = end = address;
    }
    if (address == end) end += bytes;
  });
  each(begin, end - begin);
}

/// The address of each lane, of this process.
LaneValues addresses_of(Warp& warp, const Address& address, Space space);

/// Where the lanes of the mask access memory, checked: that it lies in the space, alignment to the size (a power of
/// two), races. For a write, `bytes` may be written at what is returned. Throws EmulationError.
LaneValues access(Warp& warp, LaneMask mask, const Address& address, std::uint64_t bytes, Space space, AccessKind kind);
/// The same for the addresses that lanes have computed.
void check(Warp& warp, LaneMask mask, const LaneValues& addresses, std::uint64_t bytes, Space space, AccessKind kind);
/// Checks one lane's access outside of shared memory, and not its alignment.
void check_place(const Warp& warp, std::size_t lane, std::uint64_t address, std::uint64_t bytes, Space space,
                 AccessKind kind);
/// Checks what all lanes of a warp read together at an offset of shared memory.
const std::byte* read_by_all(Warp& warp, std::uint64_t offset, std::uint64_t bytes);

}  // namespace gable::emulated
