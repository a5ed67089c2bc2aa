#pragma once
#include <optional>
#include <string>

#include "core/model/roofline.hpp"
#include "core/model/types.hpp"

namespace gable {

/// A rate that a roof which is not there does not fall below, op/s or byte/s.
struct SlowestRate {
  double per_s{};
  std::string reason;  ///< "it reached as much in a row that is no roof", "vector fp64 does as much"
};

/// Most flop of vector arithmetic that one exponential or one conversion takes: a polynomial and the arithmetic around
/// it are some twenty fused multiply-adds, a conversion without an instruction of its own fewer.
inline constexpr double most_flop_of_a_function = 64;

/// The highest rate that measured rows say the missing roof has at least; nothing where none says anything
/// (docs/method.md, "A roof that lacks").
std::optional<SlowestRate> slowest_rate(const Roofline& roofline, const Types& types, const MissingRoof& missing);

}  // namespace gable
