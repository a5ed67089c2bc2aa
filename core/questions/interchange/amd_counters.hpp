#pragma once
#include "core/questions/interchange/format.hpp"

namespace gable::interchange {

/// What the counters of AMD's GPUs mean, from whichever tool: rocprofv3 or rocprof-compute. Formulas: the tools'
/// definitions of metrics (FetchSize, VALU and MFMA FLOPs of gfx90a and gfx942).
KernelWork work_of_amd_counters(Counted& counted, const Target& target);

}  // namespace gable::interchange
