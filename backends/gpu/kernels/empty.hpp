#pragma once
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// Enqueues a kernel of one warp that does nothing.
void enqueue_empty(Stream stream);

}  // namespace gable::gpu
