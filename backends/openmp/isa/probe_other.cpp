#include "backends/openmp/isa/probe.hpp"

namespace gable::isa {

std::vector<Candidate> probe_tables() { return {}; }

}  // namespace gable::isa
