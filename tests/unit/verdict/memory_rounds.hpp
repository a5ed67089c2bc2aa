#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "core/measure/rounds.hpp"
#include "core/operator.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable {

inline constexpr double begin_s = 1.76e9, a_round_s = 10;

/// Four blocks of one figure in each round, `late_s` behind the beginning of it.
inline Estimate of_rounds(const std::vector<double>& figures, double late_s = 0, bool ceiling = true) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Block block{.figure = figures[i],
                      .batches = 1,
                      .round = static_cast<int>(i),
                      .at_s = begin_s + a_round_s * static_cast<double>(i) + late_s};
    blocks.insert(blocks.end(), 4, block);
  }
  Estimate estimate = measure::estimate(blocks, {.larger_is_slower = !ceiling, .ceiling = ceiling});
  estimate.taken.clear();
  return estimate;
}

/// A roof of main memory by rounds, and a point that moves 1 GB.
inline Result beside(const std::vector<double>& byte_per_s, const std::vector<double>& time_s, double late_s = 1) {
  Result result = test::made_up_result();
  test::add_memory(result, 1).value = of_rounds(byte_per_s);
  Point& point = test::add_point(result, "mine", 0, 1e9, 1);
  point.implementation = "user";
  if (!time_s.empty()) point.time = of_rounds(time_s, late_s, false);
  return result;
}

/// The same, which also does so many operations on a unit of 1 Tflop/s.
inline Result computing_beside(double flop, const std::vector<double>& byte_per_s, const std::vector<double>& time_s) {
  Result result = beside(byte_per_s, time_s);
  test::add_peak(result, DType::fp32, 1e12);
  result.points[0].stages[0].work = {{Unit::vector, flop}};
  return result;
}

}  // namespace gable
