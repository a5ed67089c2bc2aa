#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "core/backend.hpp"
#include "core/measure/timed.hpp"

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

}  // namespace gable::kokkos
