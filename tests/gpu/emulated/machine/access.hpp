#pragma once
#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"

namespace gable::emulated {

/// Whether an address is one of shared memory, not a generic one.
inline bool names_shared_memory(const Statement& statement) {
  return statement.has("shared") || statement.has("shared::cta");
}

/// Calls each(address, bytes) for what the lanes of the mask access, `bytes` each: once for those in turn that lie one
/// behind the other or at the same place.
template <class Each>
void for_runs(LaneMask mask, const LaneValues& addresses, std::uint64_t bytes, Each&& each) {
  std::uint64_t begin = addresses[static_cast<std::size_t>(__builtin_ctz(mask))], end = begin;
  for_lanes(mask, [&](int lane) {
    const std::uint64_t address = addresses[static_cast<std::size_t>(lane)];
    if (address != end && address + bytes != end) {
      each(begin, end - begin);
      begin = end = address;
    }
    if (address == end) end += bytes;
  });
  each(begin, end - begin);
}

/// The address of each lane; of shared memory its lower 32 bits.
LaneValues addresses_of(Warp& warp, const Address& address, bool shared);

/// The same for all lanes of the mask as access() for one. Returns addresses of this process.
LaneValues access(Warp& warp, LaneMask mask, const Address& address, std::uint64_t bytes, bool shared, AccessKind kind);

}  // namespace gable::emulated
