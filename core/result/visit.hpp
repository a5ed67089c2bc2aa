#pragma once
#include <vector>

#include "core/result/row.hpp"

namespace gable::result {

/// What an item yielded in one round of a run.
struct Visit {
  int round{};
  std::vector<Row> rows;
};

}  // namespace gable::result
