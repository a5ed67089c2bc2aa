#pragma once
#include <vector>

#include "backends/openmp/isa/isa.hpp"

namespace gable::isa {

/// Asks this CPU and its operating system; one definition per architecture (probe_x86.cpp, probe_arm.cpp,
/// probe_other.cpp).
std::vector<Candidate> probe_tables();

}  // namespace gable::isa
