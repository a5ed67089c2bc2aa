#pragma once
#include <cstddef>

#include "core/model/ceiling.hpp"

namespace gable::openmp {

/// Where the arrays of one thread lie that a loop of loads and stores goes through.
struct ArrayLayout {
  std::size_t doubles{};   ///< of each array, a multiple of 64
  std::size_t distance{};  ///< doubles from the beginning of one array to that of the next, at least `doubles`
};

/// Bytes that a store is ahead of the first later load with the same 12 low address bits, where the arrays begin at a
/// page; the least of all pairs of a load and a store, 4096 for a loop that does not do both. Processors compare these
/// bits first: a load that comes soon after such a store waits for it.
std::size_t store_lead_bytes(Access access, const ArrayLayout& layout);

/// The longest arrays of at most `doubles` each, all within `room` doubles, whose stores are ahead of such loads by at
/// least 1 KiB; where that would cost more than half of the length, the longest of all.
ArrayLayout array_layout(Access access, std::size_t doubles, std::size_t room);

}  // namespace gable::openmp
