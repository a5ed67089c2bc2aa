#pragma once
#include <string>

#include "core/analysis/machine.hpp"
#include "core/model/types.hpp"

namespace gable::analysis {

/// Says so where a machine has no roof for products of a narrow type, as it is stored, and they are counted at the roof
/// of a wider one that holds its values: "no unit for products of fp8_e4m3 (but for fp8_e4m3fnuz): they are counted as
/// products of bf16, which holds every value of it". Empty where nothing is widened, or no roof is there.
std::string widening_note(const Machine& machine, const Types& types);

}  // namespace gable::analysis
