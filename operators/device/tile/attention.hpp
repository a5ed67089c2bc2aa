#pragma once
#include "operators/device/lanes.hpp"

/// tile::FusedAttention<T>(size, q, k, v, o): O = softmax(Q K^T / sqrt(d)) V for each head, Q, O: [h,l,d], K, V:
/// [kv,l,d], in one pass over K and V for each block of rows; run(exec) enqueues.
///
/// tile::DecodeAttention<C, T>(size, arrays): one query against cached keys and values, for each head; run(exec)
/// enqueues. Tokens of a head are split between threads where there are fewer heads than threads; a second launch
/// combines the splits' partial results (Dao et al., "Flash-Decoding for long-context inference", 2023).
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/gpu_attention.hpp"
#include "operators/device/tile/gpu_decode.hpp"
#else
#include "operators/device/tile/host_attention.hpp"
#include "operators/device/tile/host_decode.hpp"
#endif
