#pragma once
#include <gtest/gtest.h>

#include <algorithm>

#include "core/questions/explain/explanation.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {

/// 1 Tflop/s and 100 GB/s: the ridge is at 10 flop/byte.
inline Result machine() {
  Result result = test::made_up_result();
  test::add_peak(result, DType::fp32, 1e12);
  test::add_memory(result, 100e9);
  return result;
}

inline const Lever* find(const Explanation& answer, std::string_view name, std::string_view change = "") {
  const auto found = std::ranges::find_if(answer.levers, [&](const Lever& lever) {
    return lever.name == name && lever.change.find(change) != std::string::npos;
  });
  return found == answer.levers.end() ? nullptr : &*found;
}

/// Of a point of a result that nobody judged.
inline Explanation explained(const Result& given, const Point& point, Operators operators = operator_specs(),
                             std::span<const MachineModel> other = {}) {
  const auto index = static_cast<std::size_t>(&point - given.points.data());
  Result result = given;
  set_verdicts(result);
  return explain(FastestRuns(result), result.points[index], operators, other);
}

inline double factor(const Explanation& answer, std::string_view name, std::string_view change = "") {
  const auto* lever = find(answer, name, change);
  return lever && lever->factor ? *lever->factor : 0;
}

}  // namespace gable::questions
