#pragma once
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// What the vendor's matrix multiplication reaches, square and on random data: fp64, fp32, fp16, bf16 and int8, each
/// `unsupported` with the library's reason where it has none. Sizes: quick 1024, full 2048 and, from 32 threads on,
/// 4096. Request::dtypes chooses the rows.
std::vector<Item> library_ceilings(const SharedSetup& setup);

}  // namespace gable::openmp
