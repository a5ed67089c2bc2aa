#pragma once
#include <string>
#include <string_view>

#include "core/result/row.hpp"

namespace gable::worker {

/// A row that says what became of an item which yielded none of its own (crash, hang, exception): what the item's id
/// tells of its identity ("ceiling/compute/vector/fp64/burst/avx2", "point/gemm/kokkos/fp32/m=64,n=64,k=64",
/// "curve/…"), and why.
Row outcome_row(std::string_view item_id, const std::string& device, Status status, const std::string& reason);

/// Where the item was to run; an id does not tell.
void set_scope(Row& row, Scope scope, int threads);

/// Id of the item that runs an operator: op, implementation, storage type, params and manner of the point. Runs out of
/// main memory end in "/cold", of several launches in "/launches=100", of a graph in "/graph".
std::string point_id(const Point& point);

}  // namespace gable::worker
