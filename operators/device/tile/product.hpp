#pragma once
#include "operators/device/lanes.hpp"

/// tile::Product<T, TransposedB, TransposedA, Epilogue>(size, a, b, c, factor, epilogue): C = epilogue(factor A B) for
/// a batch of row-major matrices, A [m,k] (TransposedA: [k,m]), B [k,n] (TransposedB: [n,k]), C [m,n]; run(exec)
/// enqueues. T: fp64, fp32, fp16, bf16; int8 with a transposed B, an int32 C and a factor of 1.
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/gpu_product.hpp"
#else
#include "operators/device/tile/host_product.hpp"
#endif
