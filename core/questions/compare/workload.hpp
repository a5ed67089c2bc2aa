#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "core/operator.hpp"
#include "core/questions/compare/comparison.hpp"

namespace gable::questions {

/// Stated work that subjects are ranked by.
struct Workload {
  std::string name;                    ///< of the suite, or the file without its folder
  std::vector<Point> points;           ///< without times; each work once
  std::vector<NamedWeight> weights{};  ///< of a file of names and weights
  MisfitOf misfit_of{};                ///< of a model
  /// Whether it says how often it does something: then that is done one after another, and times add up.
  bool counted() const {
    return std::ranges::any_of(points, [](const Point& one) { return one.count.has_value(); });
  }
};

/// A suite by its name, else a file: of a suite, of points (a result, FILE.json:DEVICE for those of one device), of
/// names and weights, or a census (CSV). Types that it does not state are `dtypes`, else fp32, or an operator's first;
/// sizes that it does not state are the largest of the operator's own beyond 64 MiB, the same for every subject. Throws
/// Error naming the file.
Workload read_workload(const std::string& name, const std::vector<DType>& dtypes, Operators operators);

}  // namespace gable::questions
