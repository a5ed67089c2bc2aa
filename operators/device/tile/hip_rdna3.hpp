#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "operators/device/tile/hip.hpp"
#include "operators/device/tile/warp/wmma.hpp"

namespace gable::device::tile {

/// The instructions of RDNA3 (gfx1100) for products: waves of 32 lanes, matrix instructions of types of two bytes and
/// of one (warp/wmma.hpp). Compiled, never run.
struct Rdna3Machine : HipMachine {
  using Form = warp::Wmma;

  /// sums += first x second for one 16 x 16 tile over 16 of the depth (warp::Wmma has the lanes' parts).
  template <class T>
  GABLE_FUNCTION static void wmma([[maybe_unused]] Accumulate<T> (&sums)[8],
                                  [[maybe_unused]] const warp::WaveOperand<T>& first,
                                  [[maybe_unused]] const warp::WaveOperand<T>& second) {
#if defined(__HIP_DEVICE_COMPILE__)
    using A = Accumulate<T>;
    Vector<A, 8> all{sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]};
    if constexpr (std::is_same_v<T, Fp16>) {
      using Halves = Vector<_Float16, 16>;
      all =
          __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(std::bit_cast<Halves>(first), std::bit_cast<Halves>(second), all);
    } else if constexpr (std::is_same_v<T, Bf16>) {
      using Halves = Vector<short, 16>;
      all =
          __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(std::bit_cast<Halves>(first), std::bit_cast<Halves>(second), all);
    } else {
      using Words = Vector<int, 4>;
      all = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, std::bit_cast<Words>(first), true,
                                                       std::bit_cast<Words>(second), all, false);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) sums[i] = all[i];
#endif
  }

  /// The lower halves of two words, or the upper ones; the first word's becomes the lower.
  GABLE_FUNCTION static std::uint32_t halves([[maybe_unused]] std::uint32_t low, [[maybe_unused]] std::uint32_t high,
                                             [[maybe_unused]] bool upper) {
#if defined(__HIP_DEVICE_COMPILE__)
    return __builtin_amdgcn_perm(high, low, upper ? 0x07060302U : 0x05040100U);
#else
    return 0;
#endif
  }
};

}  // namespace gable::device::tile
