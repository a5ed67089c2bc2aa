#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "core/backend.hpp"
#include "core/measure/timed.hpp"
#include "core/model/ceiling.hpp"

namespace gable::kokkos {

/// What Kokkos itself costs on the device: the launch overhead, s (of a CPU "kokkos_launch", a launch and its fence; of
/// a GPU "kokkos_enqueue", launches behind one another, and "kokkos_round_trip"), and the portable streams from main
/// memory (read, copy, triad; implementation "kokkos"), beside the backend's native ceilings. `conditions` says what
/// the device told meanwhile; `timer` runs the backend's sentinels beside every batch. Both may be empty. Their run()
/// needs a living Runtime.
std::vector<Item> items(const DeviceInfo& device, const Request& request, int threads,
                        const std::function<Conditions()>& conditions, const measure::Timer& timer = {});

/// Elements of each array of a stream: all arrays of the access together are at least four times the caches of the
/// device, and at most a quarter of plannable_memory_bytes(); 0 if the arrays do not fit. Throws Error for an access
/// that has no portable stream.
std::size_t stream_elements(const DeviceInfo& device, Access access);

/// Portable streams over arrays of `count` doubles: read (sum of a), copy (a = b), triad (a = b + k c), written the way
/// a user of Kokkos would, so that the gap to the native streams is the price of portability. First touched in parallel
/// and filled with non-zero values. One iteration is one pass and, on a CPU, its fence; a GPU's passes queue up, and
/// its threads move 16 bytes at a time. Throws Error for other accesses and for a count that is no multiple of 64.
/// Timed by `timer`, plainly without one. Needs a living Runtime.
std::unique_ptr<measure::Benchmark> stream(Access access, std::size_t count, measure::Timer timer = {});

/// Bytes of one pass, counted the STREAM way: read 8, copy 16, triad 24 per element.
double stream_bytes(Access access, std::size_t count);

}  // namespace gable::kokkos
