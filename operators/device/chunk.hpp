#pragma once
#include <Kokkos_Core.hpp>
#include <type_traits>

#include "core/operator.hpp"
#include "operators/device/function.hpp"

namespace gable::device {

using Exec = Kokkos::DefaultExecutionSpace;

/// Whether kernels run on the CPU, where a thread walks a contiguous chunk; else a thread takes a pack, a team a row.
inline constexpr bool on_host = std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>;

/// Part `part` of `parts` of [0, count), contiguous, cut at multiples of `grain`.
struct Chunk {
  Index begin, end;
};
GABLE_FUNCTION Chunk chunk_of(Index count, Index part, Index parts, Index grain) {
  const Index grains = (count + grain - 1) / grain;
  const Index share = grains / parts;
  const Index extra = grains % parts;
  const Index first = (part * share + (part < extra ? part : extra)) * grain;
  const Index last = first + (share + (part < extra ? 1 : 0)) * grain;
  return {first < count ? first : count, last < count ? last : count};
}

/// Elements that chunks of an array are a multiple of: whole cache lines for every type. The fill and the elementwise
/// driver cut alike, so that a thread finds the pages it touched first; row operators cut at rows, which differs by
/// less than a row.
inline constexpr Index chunk_grain = 128;

/// One iteration per thread, the same thread for the same index every time.
using ThreadPolicy = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<Index>>;

}  // namespace gable::device
