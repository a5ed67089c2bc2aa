#pragma once
#include "operators/device/chunk.hpp"
#include "operators/device/function.hpp"

/// The tile primitive: the piece of a matrix product that one worker holds in registers. A worker is one thread on a
/// host; on a GPU one warp or wave, which is one thread of a Kokkos team whose vector length is its width. One Kokkos
/// source uses it everywhere; what differs by device is the form that this header includes:
///
///   Shape<T>                rows, columns and depth (of one fragment) of a tile that multiplies storage type T
///   Staged<T>               element type of operands in fast memory (host: converted to accumulate type while staging)
///   stage_along, stage_across   copy one panel of an operand to fast memory, padded with zeros to the tile
///   commit(), wait<n>()     close a group of such copies; wait until at most n groups are under way
///   LeftPanel, RightPanel   a staged panel: rows x depth, depth x columns; load(panel, k) gives its fragment at k
///   Accumulator<T>          the tile: clear(), multiply_add(accumulator, left, right),
///                           for_each(function) with function(row, column, lanes&) over the packs this thread holds
///   RowMaximum<T>           largest element of each row: include(accumulator), of_row(row)
///
/// Every thread of a worker calls these together, with the same arguments. for_each visits each element of the tile on
/// exactly one of them, as `Accumulator<T>::lanes` neighbours of one row.
namespace gable::device::tile {

/// Whether this device has a form of the primitive. Operators list kernels made of tiles only where it has.
inline constexpr bool available = on_host;

}  // namespace gable::device::tile

#include "operators/device/tile/host.hpp"

namespace gable::device::tile {

/// accumulator += left x right over `depth`, a multiple of the fragments' depth in the padded panels.
template <class T, class Left>
GABLE_FUNCTION void multiply(Accumulator<T>& accumulator, const Left& left, const RightPanel<T>& right, Index depth) {
#pragma GCC unroll 4
  for (Index k = 0; k < depth; k += Shape<T>::depth) multiply_add(accumulator, load(left, k), load(right, k));
}

}  // namespace gable::device::tile
