#pragma once
#include "operators/device/lanes.hpp"

/// tile::Product<T, Transposed>(size, a, b, c, factor): C = factor A B for a batch of row-major matrices, A [m,k], B
/// [k,n] (Transposed: [n,k]), C [m,n]; run(exec) enqueues.
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/gpu_product.hpp"
#else
#include "operators/device/tile/host_product.hpp"
#endif
