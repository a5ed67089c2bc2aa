#include "backends/openmp/isa/isa.hpp"

namespace gable::isa {

std::vector<Candidate> probe_tables() { return {}; }

}  // namespace gable::isa
