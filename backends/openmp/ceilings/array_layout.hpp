#pragma once
#include <cstddef>

#include "core/model/ceiling.hpp"

namespace gable::openmp {

/// Where the arrays a, b and c of one thread lie that a loop of loads and stores goes through, in doubles.
struct ArrayLayout {
  std::size_t doubles{};  ///< of each array, a multiple of 64
  std::size_t b{}, c{};   ///< where they begin, counted from a; 0 for those that the loop has not

  std::size_t extent() const { return doubles + (c != 0 ? c : b); }
};

/// Bytes that a store is ahead of the first later load with the same 12 low address bits, where `a` begins at a page;
/// the least of all pairs of a load and a store, 4096 for a loop that does not do both. Processors compare these bits
/// first: a load that comes soon after such a store waits for it.
std::size_t store_lead_bytes(Access access, const ArrayLayout& layout);

/// Arrays of at most `doubles` each (64 at least), all within `room` doubles, whose stores are ahead of such loads by
/// at least 1 KiB. Those of copy and triad keep their length and begin where they must; that of update loads what it
/// stores, and is cut by up to half.
ArrayLayout array_layout(Access access, std::size_t doubles, std::size_t room);

}  // namespace gable::openmp
