#pragma once
#include "backends/gpu/library.hpp"

namespace gable::gpu {

/// The product as cuBLASLt or hipBLASLt makes it, which have the same functions under names that begin differently
/// (lt_names.hpp of the vendor); or why it has none. Throws DeviceFailure if the library fails otherwise.
PlannedGemm plan_lt_gemm(const GemmShape& shape);

}  // namespace gable::gpu
