#include "backends/gpu/kernels/kernels.hpp"

namespace gable::gpu {
namespace {

__global__ void empty_kernel() {}

}  // namespace

void enqueue_empty(Stream stream) { empty_kernel<<<1, 32, 0, stream>>>(); }

}  // namespace gable::gpu
