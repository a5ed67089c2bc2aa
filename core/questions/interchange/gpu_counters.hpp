#pragma once
#include <string_view>

#include "core/questions/interchange/format.hpp"

/// What the counters of GPUs mean, from whichever tool.
namespace gable::interchange {

/// Of NVIDIA's, by the names of Nsight Compute's metrics ("Kernel Profiling Guide" of Nsight Compute).
KernelWork work_of_nvidia_counters(Counted& counted, const Target& target);
/// Whether it counts instructions or operations that work_of_nvidia_counters() looks at.
bool is_nvidia_instruction_counter(std::string_view metric);

/// Of AMD's, from rocprofv3 or rocprof-compute. Formulas: the tools'
/// definitions of metrics (FetchSize, VALU and MFMA FLOPs of gfx90a and gfx942).
KernelWork work_of_amd_counters(Counted& counted, const Target& target);

}  // namespace gable::interchange
