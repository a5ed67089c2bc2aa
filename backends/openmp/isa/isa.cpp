#include "backends/openmp/isa/isa.hpp"

#include "backends/openmp/isa/probe.hpp"

namespace gable::isa {

const std::vector<Candidate>& all_tables() {
  static const std::vector<Candidate> tables = probe_tables();
  return tables;
}

std::vector<const IsaTable*> supported_tables() {
  std::vector<const IsaTable*> tables;
  for (const auto& candidate : all_tables()) {
    if (candidate.refused.empty()) tables.push_back(candidate.table);
  }
  return tables;
}

}  // namespace gable::isa
