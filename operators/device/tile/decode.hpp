#pragma once
#include "operators/device/lanes.hpp"

/// tile::DecodeAttention<C, T>(size, arrays): one query against cached keys and values, for each head; run(exec)
/// enqueues. Tokens of a head are split between threads where there are fewer heads than threads; a second launch
/// combines the splits' partial results (Dao et al., "Flash-Decoding for long-context inference", 2023).
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/gpu_decode.hpp"
#else
#include "operators/device/tile/host_decode.hpp"
#endif
