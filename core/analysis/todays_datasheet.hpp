#pragma once
#include "core/result/result.hpp"

namespace gable::analysis {

/// Theory of the result's devices, and the datasheet figures of their rows, by the catalogue of this program
/// (use_todays_theory()) in place of that of the program that measured. Rows whose figure the catalogue does not give
/// keep theirs.
void use_todays_catalogue(Result& result);

}  // namespace gable::analysis
