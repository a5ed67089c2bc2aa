#pragma once
#include <vector>

#include "backends/mpi/record.hpp"
#include "backends/mpi/team.hpp"

namespace gable::mpi {

/// byte/s in both directions between each two of the players, as curves `pair_matrix`, one a rank: in rounds of a
/// tournament, in which disjoint pairs measure at once, and, of few players, one pair at a time too; the series says
/// which. Notes name slow pairs (pairing.hpp) with their hosts, the slowest measured once more alone, and ranks that
/// are slow with most of their partners.
void measure_pair_matrix(Team& team, const std::vector<int>& players, bool full, Record& record);

}  // namespace gable::mpi
