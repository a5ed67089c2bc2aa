#pragma once
#include <vector>

#include "core/backend.hpp"

namespace gable::kokkos {

/// What Kokkos itself costs on the device: the launch overhead, s (of a CPU "kokkos_launch", a launch and its fence; of
/// a GPU "kokkos_enqueue", launches behind one another, and "kokkos_round_trip"), and the portable streams from main
/// memory (read, copy, triad; implementation "kokkos"), beside the backend's native ceilings. Their run() needs a
/// living Runtime.
std::vector<Item> items(const DeviceInfo& device, const Request& request, int threads);

/// Elements of each stream array: together (three of them) at least four times the caches of the device, at most a
/// quarter of its free memory; 0 if less than twice the caches fits.
std::size_t stream_elements(const DeviceInfo& device);

}  // namespace gable::kokkos
