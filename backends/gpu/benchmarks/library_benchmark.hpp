#pragma once
#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/gpu_api.hpp"

namespace gable::gpu {

/// The vendor's C = A B of random matrices, k contiguous in both factors (the layout every type has). The result has
/// the storage type; of fp8 bf16, of int8 int32.
LibraryGemm make_library_gemm(const GemmSpec& spec, Stream stream);

}  // namespace gable::gpu
