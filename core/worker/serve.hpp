#pragma once
#include <span>

#include "core/backend.hpp"
#include "core/operator.hpp"
#include "core/result/result.hpp"
#include "core/worker/item_plan.hpp"

namespace gable::worker {

/// A worker's whole life: speaks the protocol on standard input and output until the parent says quit or is gone.
/// Anything else that writes to standard output is redirected to standard error. Dies with its parent. Returns the exit
/// code: 0, 2 after bad input, or 3 after a failure outside any item (probing, opening), whose text is the last line on
/// standard error.
int serve(Backend& backend, std::span<const OperatorEntry* const> entries, ExperimentCases cases_of,
          const std::string& worker_name, const Build& build);

}  // namespace gable::worker
