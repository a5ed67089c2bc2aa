#pragma once
#include "operators/device/lanes.hpp"

/// tile::Product<T, TransposedB, TransposedA, Epilogue>(size, a, b, c, factor, epilogue): C = epilogue(factor A B) for
/// a batch of row-major matrices, A [m,k] (TransposedA: [k,m]), B [k,n] (TransposedB: [n,k]), C [m,n]; run(exec)
/// enqueues.
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/gpu_product.hpp"
#else
#include "operators/device/tile/host_product.hpp"
#endif
