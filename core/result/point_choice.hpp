#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/result/result.hpp"

namespace gable {

/// Which points of many are shown.
struct PointChoice {
  /// Patterns of ids, names of operators or kernels, short or in full, with * ? [] as shells have them; empty: all.
  std::vector<std::string> only{};
  std::optional<int> top{};  ///< so many that take most time, all their runs together
};

/// Leaves those points. Throws Error for a pattern that no point fits.
void keep_points(Result& result, const PointChoice& choice);

}  // namespace gable
