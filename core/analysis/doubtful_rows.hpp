#pragma once
#include <span>

#include "core/model/ceiling.hpp"
#include "core/result/result.hpp"
#include "core/worker/run_driver.hpp"

namespace gable::analysis {

/// Rows that end without a good figure: those of a run that ask for a further round. `borrowed`: roofs of other files.
worker::Doubtful doubtful_rows(Result result, Mode mode, std::span<const Ceiling> borrowed);

}  // namespace gable::analysis
