#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include "operators/device/exp.hpp"
#include "operators/device/pack.hpp"
#include "tests/unit/operators/formats.hpp"

namespace gable::device {
namespace {

/// Through the scalar and through the pack conversion, which are different instructions.
template <class T>
T narrow_both(float x) {
  const T scalar = narrow<T>(x);
  constexpr int n = pack_size<T>;
  T packed[n];
  store<n>(packed, LanesOf<T, n>(x));
  EXPECT_EQ(packed[0].bits, scalar.bits) << x;
  EXPECT_EQ(packed[n - 1].bits, scalar.bits) << x;
  store_any_order<n>(packed, LanesOf<T, n>(x));
  EXPECT_EQ(packed[0].bits, scalar.bits) << x;
  EXPECT_EQ(packed[n - 1].bits, scalar.bits) << x;
  return scalar;
}

template <class T>
class Storage : public testing::Test {};
using Types = testing::Types<Fp16, Bf16>;
TYPED_TEST_SUITE(Storage, Types);

TYPED_TEST(Storage, EveryPatternWidensToItsDefinedValue) {
  constexpr int n = pack_size<TypeParam>;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const TypeParam x{static_cast<std::uint16_t>(bits)};
    TypeParam pack[n];
    std::fill(pack, pack + n, x);
    const double want = defined_value(x);
    const double got = widen(x);
    const double packed = load<n>(pack)[n - 1];
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got) && std::isnan(packed)) << bits;
    } else {
      EXPECT_EQ(got, want) << bits;
      EXPECT_EQ(packed, want) << bits;
      EXPECT_EQ(std::signbit(got), std::signbit(want)) << bits;
    }
  }
}

TYPED_TEST(Storage, EveryPatternSurvivesARoundTrip) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const TypeParam x{static_cast<std::uint16_t>(bits)};
    const TypeParam back = narrow_both<TypeParam>(widen(x));
    if (std::isnan(defined_value(x))) {
      EXPECT_TRUE(std::isnan(defined_value(back))) << bits;
    } else {
      EXPECT_EQ(back.bits, x.bits);
    }
  }
}

/// Halfway between neighbours, and one fp32 step to either side: ties to even, everything else to the nearer one.
TYPED_TEST(Storage, RoundsToNearestEven) {
  constexpr int exponent_bits = Format<TypeParam>::exponent_bits, mantissa_bits = Format<TypeParam>::mantissa_bits;
  const std::uint32_t infinity = ((1U << exponent_bits) - 1) << mantissa_bits;
  for (std::uint32_t bits = 0; bits + 1 < infinity; ++bits) {
    const double low = value(bits, exponent_bits, mantissa_bits);
    const double high = value(bits + 1, exponent_bits, mantissa_bits);
    const auto middle = static_cast<float>((low + high) / 2);
    for (float x : {std::nextafter(middle, 0.0F), middle, std::nextafter(middle, HUGE_VALF)}) {
      const double want = rounded(x, exponent_bits, mantissa_bits);
      EXPECT_EQ(defined_value(narrow_both<TypeParam>(x)), want) << x;
      EXPECT_EQ(defined_value(narrow_both<TypeParam>(-x)), -want) << x;
    }
  }
}

TYPED_TEST(Storage, OverflowIsInfinityAndNanStaysNan) {
  EXPECT_EQ(defined_value(narrow_both<TypeParam>(std::numeric_limits<float>::max())), HUGE_VAL);
  EXPECT_EQ(defined_value(narrow_both<TypeParam>(-HUGE_VALF)), -HUGE_VAL);
  for (std::uint32_t payload : {0x7f800001U, 0x7fc00000U, 0x7fffffffU, 0xff800001U, 0xffffffffU}) {
    EXPECT_TRUE(std::isnan(defined_value(narrow_both<TypeParam>(std::bit_cast<float>(payload)))));
  }
}

TYPED_TEST(Storage, PacksElementsInOrderAndNanAlone) {
  constexpr int n = pack_size<TypeParam>;
  for (int odd = 0; odd < n; ++odd) {
    TypeParam source[n], target[n];
    for (int i = 0; i < n; ++i) source[i] = narrow<TypeParam>(static_cast<float>(i + 1));
    source[odd] = narrow<TypeParam>(std::numeric_limits<float>::quiet_NaN());
    store<n>(target, load<n>(source));
    for (int i = 0; i < n; ++i) EXPECT_EQ(target[i].bits, source[i].bits) << i << ", NaN at " << odd;
    TypeParam again[n];
    store_any_order<n>(again, load_any_order<n>(source));
    for (int i = 0; i < n; ++i) EXPECT_EQ(again[i].bits, source[i].bits) << i << ", NaN at " << odd;
  }
}

TEST(Fp16Storage, LargestNumberAndTheFirstThatOverflows) {
  EXPECT_EQ(narrow<Fp16>(65504.0F).bits, 0x7bff);
  EXPECT_EQ(narrow<Fp16>(65519.0F).bits, 0x7bff);
  EXPECT_EQ(narrow<Fp16>(65520.0F).bits, 0x7c00);
  EXPECT_EQ(narrow<Fp16>(0x1p-24F).bits, 0x0001);
  EXPECT_EQ(narrow<Fp16>(0x1p-25F).bits, 0x0000);
}

/// All patterns of the portable code, which a machine with F16C would not run otherwise.
TEST(PortableConversion, WidensFp16) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Fp16 x{static_cast<std::uint16_t>(bits)};
    const double want = defined_value(x);
    const double got = portable::widen(x);
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << bits;
  }
}

TEST(PortableConversion, NarrowsRandomFloats) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isnan(x)) continue;
    EXPECT_EQ(defined_value(portable::narrow_fp16(x)), rounded(x, 5, 10)) << x;
    EXPECT_EQ(defined_value(portable::narrow_bf16(x)), rounded(x, 8, 7)) << x;
  }
}

template <class A>
double worst_exp_error_ulp(A low, A high) {
  constexpr int n = pack_size<A>;
  double worst = 0;
  for (int i = 0; i <= 200000; ++i) {
    const A x = low + (high - low) * static_cast<A>(i) / A(200000);
    const long double want = std::exp(static_cast<long double>(x));
    const long double got = exp(Lanes<A, n>(x))[n - 1];
    worst = std::max(worst, static_cast<double>(std::abs(got - want) / want) / std::numeric_limits<A>::epsilon());
  }
  return worst;
}

TEST(LanesExp, IsAccurateToTwoUnits) {
  EXPECT_LE(worst_exp_error_ulp<float>(-87.0F, 88.0F), 2.0);
  EXPECT_LE(worst_exp_error_ulp<double>(-708.0, 709.0), 2.0);
}

TYPED_TEST(Storage, ExpIsAccurateBeyondTheStorageType) {
  constexpr int n = pack_size<TypeParam>;
  double worst = 0;
  for (int i = 0; i <= 200000; ++i) {
    const float x = -87.0F + 175.0F * static_cast<float>(i) / 200000.0F;
    const double want = std::exp(static_cast<double>(x));
    const double got = exp_for<TypeParam>(Lanes<float, n>(x))[n - 1];
    worst = std::max(worst, std::abs(got - want) / want);
  }
  EXPECT_LE(worst, 0x1p-16);
  EXPECT_EQ(exp_for<TypeParam>(Lanes<float, n>(0.0F))[0], 1.0F);
}

/// Of results near 1, where a bound on the relative error is one on units of the last place.
template <class T>
double worst_exp_for_error_ulp() {
  using A = Accumulate<T>;
  constexpr int n = pack_size<T>;
  double worst = 0;
  for (int i = 0; i <= 200000; ++i) {
    const A shift = A(3.25), x = A(4) - A(20) * static_cast<A>(i) / A(200000);
    const long double want = std::exp(static_cast<long double>(x) - static_cast<long double>(shift));
    const long double got = exp_for<T>(Lanes<A, n>(x), shift)[n - 1];
    worst = std::max(worst, static_cast<double>(std::abs(got - want) / want) / std::numeric_limits<A>::epsilon());
  }
  return worst;
}

TEST(ExpFor, IsAccurateWhereASumNeedsIt) {
  EXPECT_LE(worst_exp_for_error_ulp<float>(), 8.0);  // without FMA the argument is rounded
  EXPECT_LE(worst_exp_for_error_ulp<double>(), 16.0);
}

TEST(ExpFor, StaysAtItsSmallestAndKeepsNan) {
  constexpr int n = pack_size<double>;
  for (const double x : {-800.0, -1e300, -HUGE_VAL}) {
    const double got = exp_for<double>(Lanes<double, n>(x))[0];
    EXPECT_GT(got, 0.0) << x;
    EXPECT_LT(got, 1e-306) << x;
  }
  EXPECT_TRUE(std::isnan(exp_for<double>(Lanes<double, n>(std::numeric_limits<double>::quiet_NaN()))[0]));
  EXPECT_EQ(exp_for<double>(Lanes<double, n>(0.0))[0], 1.0);
}

/// x / (1 + 2^t) as gelu takes it, over all t that matter, to better than half a unit of the storage type.
template <class T>
double worst_divide_error() {
  using A = Accumulate<T>;
  constexpr int n = pack_size<T>;
  double worst = 0;
  for (int i = 0; i <= 20000; ++i) {
    const A t = A(-60) + A(120) * static_cast<A>(i) / A(20000), x = A(1.75);
    const double want = 1.75 / (1.0 + std::exp2(static_cast<double>(t)));
    const double got = LogisticFor<T, n>(Lanes<A, n>(t)).divide(Lanes<A, n>(x))[n - 1];
    worst = std::max(worst, std::abs(got - want) / want);
  }
  return worst;
}

TEST(LogisticFor, DividesAccurately) {
  EXPECT_LE(worst_divide_error<Bf16>(), 0x1p-11);
  EXPECT_LE(worst_divide_error<Fp16>(), 0x1p-13);
  EXPECT_LE(worst_divide_error<float>(), 0x1p-22);
  EXPECT_LE(worst_divide_error<double>(), 0x1p-50);
}

/// Half-way cases aside as store: the nearest, infinities, NaN of the storage type.
TYPED_TEST(Storage, AnyTieStoresTheNearest) {
  constexpr int n = pack_size<TypeParam>, mantissa_bits = Format<TypeParam>::mantissa_bits;
  TypeParam packed[n];
  const auto stored = [&](float x) {
    store_any_order<n, true>(packed, LanesOf<TypeParam, n>(x));
    EXPECT_EQ(packed[0].bits, packed[n - 1].bits) << x;
    return defined_value(packed[n - 1]);
  };
  std::mt19937 random(11);
  for (int i = 0; i < 100000; ++i) {
    const float x = 1.0F + static_cast<float>(random() >> 8) * 0x1p-24F;
    EXPECT_LE(std::abs(stored(x) - x), std::ldexp(0.5, -mantissa_bits)) << x;
    EXPECT_LE(std::abs(stored(-x) + x), std::ldexp(0.5, -mantissa_bits)) << x;
  }
  EXPECT_EQ(stored(HUGE_VALF), HUGE_VAL);
  EXPECT_EQ(stored(std::numeric_limits<float>::max()), HUGE_VAL);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const TypeParam x{static_cast<std::uint16_t>(bits)};
    const double want = defined_value(x);
    const double got = stored(widen(x));
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << bits;
  }
}

TYPED_TEST(Storage, QuotientIsAccurateBeyondTheStorageType) {
  constexpr int n = pack_size<TypeParam>;
  constexpr double bound = std::is_same_v<TypeParam, Bf16> ? 1.5 * 0x1p-12 : 0x1p-22;
  for (int i = -120; i <= 120; ++i) {
    const float y = std::ldexp(1.0F + static_cast<float>((i * i) % 97) / 97.0F, i);
    const double got = quotient_for<TypeParam, n>(Lanes<float, n>(3.0F), Lanes<float, n>(y))[n - 1];
    EXPECT_NEAR(got * y / 3.0, 1.0, bound) << y;
  }
}

TEST(LanesExp, SaturatesAndKeepsNan) {
  constexpr int n = pack_size<float>;
  EXPECT_LT(exp(Lanes<float, n>(-1e30F))[0], 2e-38F);
  EXPECT_GT(exp(Lanes<float, n>(1e30F))[0], 1e38F);
  EXPECT_TRUE(std::isnan(exp(Lanes<float, n>(std::numeric_limits<float>::quiet_NaN()))[0]));
  EXPECT_EQ(exp(Lanes<float, n>(0.0F))[0], 1.0F);
}

TEST(Fp8, EveryPatternWidensToItsDefinedValueAndBack) {
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    const Fp8E4m3 x{static_cast<std::uint8_t>(bits)};
    if ((bits & 0x7fU) == 0x7fU) {
      EXPECT_TRUE(std::isnan(widen(x))) << bits;
      EXPECT_EQ(narrow<Fp8E4m3>(widen(x)).bits, bits);
      continue;
    }
    const std::uint32_t mantissa = bits & 7U;
    const int exponent = static_cast<int>((bits >> 3) & 15U);
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(mantissa + 8.0, exponent - 10);
    EXPECT_EQ(widen(x), bits >> 7 != 0 ? -magnitude : magnitude) << bits;
    EXPECT_EQ(narrow<Fp8E4m3>(widen(x)).bits, bits);
  }
}

/// OCP 8-bit floating point specification: round to nearest even, saturate at 448.
TEST(Fp8, NarrowingRoundsToNearestEvenAndSaturates) {
  const auto narrowed = [](float x) { return static_cast<double>(widen(narrow<Fp8E4m3>(x))); };
  EXPECT_EQ(narrowed(17.0F), 16.0);  // between 16 and 18, tie to the even mantissa
  EXPECT_EQ(narrowed(19.0F), 20.0);
  EXPECT_EQ(narrowed(17.01F), 18.0);
  EXPECT_EQ(narrowed(0x1p-10F), 0.0);  // half of the least subnormal
  EXPECT_EQ(narrowed(0x1.8p-10F), 0x1p-9);
  EXPECT_EQ(narrowed(0x1.cp-7F), 0x1.cp-7);
  EXPECT_EQ(narrowed(0x1.ep-7F), 0x1p-6);  // from the subnormals into the normal numbers
  EXPECT_EQ(narrowed(-460.0F), -448.0);
  EXPECT_EQ(narrowed(1e30F), 448.0);
  EXPECT_EQ(narrowed(HUGE_VALF), 448.0);
  EXPECT_TRUE(std::isnan(narrowed(std::nanf(""))));
}

TEST(Int4, TwoElementsShareAByte) {
  for (int even = -8; even < 8; ++even) {
    for (int odd = -8; odd < 8; ++odd) {
      const Int4Pair pair = Int4Pair::of(even, odd);
      EXPECT_EQ(pair.even(), even);
      EXPECT_EQ(pair.odd(), odd);
    }
  }
  EXPECT_EQ(Int4Pair::of(3, -1).bits, 0xf3);
  const Int4Pair row[] = {Int4Pair::of(1, 2), Int4Pair::of(-3, 4)};
  EXPECT_EQ(element_at(row, 2), -3);
  EXPECT_EQ(element_at(row, 3), 4);
}

}  // namespace
}  // namespace gable::device
