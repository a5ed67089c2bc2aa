#pragma once
#include <cstdint>

#include "operators/device/function.hpp"

namespace gable::device {

/// i mod `divisor` without a division, which takes a GPU some 70 instructions: by a multiplication with the divisor's
/// reciprocal (Granlund and Montgomery, "Division by invariant integers using multiplication", PLDI 1994).
///
/// With 2^(s-1) < d <= 2^s and m = floor(2^(62+s) / d) + 1, which is below 2^64, floor(i m / 2^(62+s)) is i div d for
/// 0 <= i < 2^62, since m d exceeds 2^(62+s) by at most d <= 2^s. That is the high word of i m, shifted by s - 2.
class Remainder {
 public:
  /// 0 < divisor <= 2^62
  explicit Remainder(std::int64_t divisor) : divisor_(static_cast<std::uint64_t>(divisor)) {
    while ((std::uint64_t{1} << bits_) < divisor_) ++bits_;
    if (bits_ >= 2) reciprocal_ = static_cast<std::uint64_t>((Wide{1} << (62 + bits_)) / divisor_ + 1);
  }

  /// 0 <= i < 2^62
  GABLE_FUNCTION std::int64_t of(std::int64_t i) const {
    const auto n = static_cast<std::uint64_t>(i);
    if (bits_ < 2) return static_cast<std::int64_t>(n & (divisor_ - 1));  // 1 and 2
    return static_cast<std::int64_t>(n - (high_word(n, reciprocal_) >> (bits_ - 2)) * divisor_);
  }

 private:
  __extension__ typedef unsigned __int128 Wide;

  static GABLE_FUNCTION std::uint64_t high_word(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return __umul64hi(a, b);
#else
    return static_cast<std::uint64_t>((Wide{a} * b) >> 64);
#endif
  }

  std::uint64_t divisor_, reciprocal_{};
  int bits_{};
};

}  // namespace gable::device
