#pragma once
#include "operators/device/lanes.hpp"

/// tile::FusedAttention<T>(size, q, k, v, o): O = softmax(Q K^T / sqrt(d)) V for each head, Q, O: [h,l,d], K, V:
/// [kv,l,d], in one pass over K and V for each block of rows; run(exec) enqueues.
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/gpu_attention.hpp"
#else
#include "operators/device/tile/host_attention.hpp"
#endif
