#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/operator.hpp"
#include "core/result/result.hpp"

namespace gable::analysis {

/// Something to predict before looking: the answer follows from roofs by the formulas of docs/method.md, or is a
/// quotient of two measured figures.
struct Exercise {
  std::string id;        ///< "ridge/A/fp64": the letter is the device's in a report
  std::string question;  ///< with every figure that the answer needs
  std::string unit;      ///< of the answer: "flop/byte", "GFLOP/s", "times as fast"
  double answer{};
  double tolerance{};   ///< a part of 1, on both sides
  std::string working;  ///< how it comes about, and what was measured
};

enum class Grade {
  right,  ///< within the tolerance
  near,   ///< within three times of it, as factors
  wrong,
  missing,  ///< no answer was given
};
std::string_view to_string(Grade grade);
/// Factors count alike in both directions: half the answer is as wrong as twice of it.
Grade grade(const Exercise& exercise, std::optional<double> answer);

/// Exercises out of the devices of a result, at their widest scope, and of datasheets: ridges; where operators land;
/// what twice the bandwidth gives; vectors, fused multiply-add and cores taken away; stores past the caches; fusion;
/// another device. Those whose figures are not there are left out. Letters as in a report of these devices.
std::vector<Exercise> exercises(const Result& result, Operators operators,
                                std::span<const catalogue::Device> datasheets = {});

}  // namespace gable::analysis
