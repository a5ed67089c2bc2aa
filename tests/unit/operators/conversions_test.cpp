#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "operators/device/bf16.hpp"
#include "operators/device/isa/isa.hpp"
#include "operators/device/lanes.hpp"
#include "tests/unit/operators/formats.hpp"

/// Loads and stores of fp16 and bf16 at every width that Lanes may have, held to the definition of the formats.
namespace gable::device {
namespace {

/// How `width` elements, or twice as many, travel between memory and registers.
template <int width>
struct Fp16InOrder {
  using T = Fp16;
  static constexpr int count = width;
  static void load(const T* source, float* target) {
    const auto x = isa::Fp16Vector<width>::load(source);
    std::memcpy(target, &x, sizeof x);
  }
  static void store(T* target, const float* source) {
    typename isa::Fp16Vector<width>::Floats x;
    std::memcpy(&x, source, sizeof x);
    isa::Fp16Vector<width>::store(target, x);
  }
};
template <int width>
struct Bf16InOrder {
  using T = Bf16;
  static constexpr int count = width;
  static void load(const T* source, float* target) {
    const auto x = load_bf16<width>(source);
    std::memcpy(target, &x, sizeof x);
  }
  static void store(T* target, const float* source) {
    typename VectorOf<float, width>::type x;
    std::memcpy(&x, source, sizeof x);
    store_bf16<width>(target, x);
  }
};
template <int width>
struct TwoBf16InOrder {
  using T = Bf16;
  static constexpr int count = 2 * width;
  static void load(const T* source, float* target) {
    Bf16InOrder<width>::load(source, target);
    Bf16InOrder<width>::load(source + width, target + width);
  }
  static void store(T* target, const float* source) {
    typename VectorOf<float, width>::type x, y;
    std::memcpy(&x, source, sizeof x);
    std::memcpy(&y, source + width, sizeof y);
    store_both_bf16<width>(target, x, y);
  }
};
template <int width>
struct Bf16Apart {
  using T = Bf16;
  static constexpr int count = 2 * width;
  static void load(const T* source, float* target) {
    typename VectorOf<float, width>::type even, odd;
    load_bf16_apart<width>(source, even, odd);
    for (int i = 0; i < count; ++i) target[i] = i % 2 == 0 ? even[i / 2] : odd[i / 2];
  }
  static void store(T* target, const float* source) {
    typename VectorOf<float, width>::type even{}, odd{};
    for (int i = 0; i < width; ++i) even[i] = source[2 * i], odd[i] = source[2 * i + 1];
    store_bf16_apart<width>(target, even, odd);
  }
};

/// x stored at `at`. All other elements are other numbers, so that order counts.
template <class Way>
typename Way::T stored(float x, int at) {
  float source[Way::count];
  for (int i = 0; i < Way::count; ++i) source[i] = static_cast<float>(i);
  source[at] = x;
  typename Way::T target[Way::count];
  Way::store(target, source);
  int changed = 0;
  for (int i = 0; i < Way::count; ++i) changed += i != at && defined_value(target[i]) != i ? 1 : 0;
  EXPECT_EQ(changed, 0) << x;
  return target[at];
}

template <class Way>
class Conversions : public testing::Test {};
using Ways =
    testing::Types<Fp16InOrder<4>, Fp16InOrder<8>, Fp16InOrder<16>, Bf16InOrder<4>, Bf16InOrder<8>, Bf16InOrder<16>,
                   TwoBf16InOrder<4>, TwoBf16InOrder<8>, TwoBf16InOrder<16>, Bf16Apart<4>, Bf16Apart<8>, Bf16Apart<16>>;
TYPED_TEST_SUITE(Conversions, Ways);

TYPED_TEST(Conversions, EveryPatternThereAndBack) {
  using T = typename TypeParam::T;
  constexpr int count = TypeParam::count;
  for (std::uint32_t first = 0; first < 65536; first += count) {
    T source[count], target[count];
    float wide[count];
    for (int i = 0; i < count; ++i) source[i] = {static_cast<std::uint16_t>(first + static_cast<std::uint32_t>(i))};
    TypeParam::load(source, wide);
    TypeParam::store(target, wide);
    for (int i = 0; i < count; ++i) {
      const double want = defined_value(source[i]);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(wide[i]) && std::isnan(defined_value(target[i]))) << source[i].bits;
        EXPECT_EQ(std::signbit(wide[i]), source[i].bits >> 15 != 0) << source[i].bits;
      } else {
        EXPECT_EQ(wide[i], want) << source[i].bits;
        EXPECT_EQ(target[i].bits, source[i].bits);
      }
    }
  }
}

/// Half way between neighbours, subnormal ones too, and one fp32 step to either side.
TYPED_TEST(Conversions, RoundToNearestEven) {
  using T = typename TypeParam::T;
  constexpr int exponent_bits = Format<T>::exponent_bits, mantissa_bits = Format<T>::mantissa_bits;
  const std::uint32_t infinity = ((1U << exponent_bits) - 1) << mantissa_bits;
  for (std::uint32_t bits = 0; bits + 1 < infinity; ++bits) {
    const auto middle = static_cast<float>(
        (value(bits, exponent_bits, mantissa_bits) + value(bits + 1, exponent_bits, mantissa_bits)) / 2);
    const int at = static_cast<int>(bits % TypeParam::count);
    for (const float x : {std::nextafter(middle, 0.0F), middle, std::nextafter(middle, HUGE_VALF)}) {
      const double want = rounded(x, exponent_bits, mantissa_bits);
      EXPECT_EQ(defined_value(stored<TypeParam>(x, at)), want) << x;
      EXPECT_EQ(defined_value(stored<TypeParam>(-x, at)), -want) << x;
    }
  }
}

TYPED_TEST(Conversions, OverflowIsInfinityAndNanStaysNan) {
  for (int at = 0; at < TypeParam::count; ++at) {
    EXPECT_EQ(defined_value(stored<TypeParam>(std::numeric_limits<float>::max(), at)), HUGE_VAL);
    EXPECT_EQ(defined_value(stored<TypeParam>(-HUGE_VALF, at)), -HUGE_VAL);
    for (const std::uint32_t bits : {0x7f800001U, 0x7fc00000U, 0x7fffffffU, 0xff800001U, 0xffffffffU}) {
      EXPECT_TRUE(std::isnan(defined_value(stored<TypeParam>(std::bit_cast<float>(bits), at)))) << bits;
    }
  }
}

template <class Width>
class AnyTie : public testing::Test {};
using Widths =
    testing::Types<std::integral_constant<int, 4>, std::integral_constant<int, 8>, std::integral_constant<int, 16>>;
TYPED_TEST_SUITE(AnyTie, Widths);

/// Every bf16 as it is, subnormals too, and the nearest of what lies between.
TYPED_TEST(AnyTie, StoresTheNearest) {
  constexpr int width = TypeParam::value;
  for (std::uint32_t bits = 0; bits < 0x7f80U; ++bits) {
    for (const std::uint32_t rest : {0U, 0x7fffU, 0x8001U, 0xffffU}) {
      const float x = std::bit_cast<float>(bits << 16 | rest);
      Bf16 target[2 * width];
      store_bf16_apart_ties_unspecified<width>(target, x + typename VectorOf<float, width>::type{},
                                               -x - typename VectorOf<float, width>::type{});
      for (int i = 0; i < 2 * width; ++i) {
        const double want = rounded(x, 8, 7);
        EXPECT_EQ(value(target[i].bits, 8, 7), i % 2 == 0 ? want : -want) << x;
      }
    }
  }
}

}  // namespace
}  // namespace gable::device
