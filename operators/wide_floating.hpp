#pragma once
#include <vector>

#include "core/model/types.hpp"

namespace gable::operators {

/// fp64 and fp32: for operators whose results 2-byte types are too coarse for.
inline std::vector<Types> wide_floating_types() { return {uniform_types(DType::fp64), uniform_types(DType::fp32)}; }

}  // namespace gable::operators
