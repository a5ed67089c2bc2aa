#pragma once
#include <span>
#include <string_view>

#include "core/model/dtype.hpp"
#include "core/model/work.hpp"

namespace gable::gpu {

/// What one multiprocessor of an architecture does in a cycle: flop (op for integers and exponentials), an FMA
/// counts 2.
struct RateEntry {
  std::string_view isa;  ///< sm_90, gfx942
  Unit unit{};
  DType storage{}, accumulate{};
  double per_cycle{};
  std::string_view source;
  bool half_on_geforce{};  ///< GeForce products sum products of matrices in fp32 at half of the chip's rate
};

inline constexpr std::string_view derived_rate = "the vendor's dense peak / (multiprocessors x boost clock)";

std::span<const RateEntry> nvidia_rates();
std::span<const RateEntry> amd_rates();

}  // namespace gable::gpu
