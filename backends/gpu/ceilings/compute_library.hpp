#pragma once
#include <vector>

#include "backends/gpu/setup.hpp"

namespace gable::gpu {

/// What the vendor's matrix multiplication reaches on random data, flop/s or op/s: fp64, fp32 (without tf32), tf32,
/// fp16 accumulated in fp32 and in fp16, bf16, fp8 (OCP, or FNUZ where the device has that) and int8, each
/// `unsupported` with the library's reason where it has none. The ceiling is square, n = 8192 (less where the memory
/// does not hold it). Full mode adds n = 4096, n = 1024 and n = 4097, which misses every tile: what that costs is the
/// lesson. Request::dtypes chooses the rows.
std::vector<Item> library_ceilings(const SharedSetup& setup);

}  // namespace gable::gpu
