#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

#include "operators/device/isa/isa.hpp"
#include "operators/device/lanes.hpp"
#include "operators/device/storage.hpp"

/// The vocabulary of instructions at every width that Lanes may have, whatever processor runs it: registers of the
/// instruction set that this is compiled for, and wider ones that the compiler splits.
namespace gable::device {
namespace {

constexpr float nan_of_float = std::numeric_limits<float>::quiet_NaN();

template <class A, int lanes>
struct Shape {
  using Number = A;
  static constexpr int width = lanes;
};

template <class S>
class Numbers : public testing::Test {};
using AllShapes = testing::Types<Shape<float, 4>, Shape<float, 8>, Shape<float, 16>, Shape<double, 2>, Shape<double, 4>,
                                 Shape<double, 8>>;
TYPED_TEST_SUITE(Numbers, AllShapes);

template <class Vector, class Of>
Vector vector_of(const Of& of) {
  Vector x{};
  for (std::size_t i = 0; i < sizeof x / sizeof x[0]; ++i) x[i] = of(static_cast<int>(i));
  return x;
}

TYPED_TEST(Numbers, RootsMaximaAndMinimaLaneByLane) {
  using A = typename TypeParam::Number;
  using R = isa::Register<A, TypeParam::width>;
  using Vector = typename R::Vector;
  const Vector x = vector_of<Vector>([](int i) { return A(i * i) + A(0.5); });
  const Vector y = vector_of<Vector>([](int i) { return A(20 - i); });
  const Vector root = R::root(x), greater = R::greater(x, y), lesser = R::lesser(x, y);
  for (int i = 0; i < TypeParam::width; ++i) {
    EXPECT_EQ(root[i], std::sqrt(x[i]));
    EXPECT_EQ(greater[i], std::max(x[i], y[i]));
    EXPECT_EQ(lesser[i], std::min(x[i], y[i]));
  }
}

TYPED_TEST(Numbers, NanOnTheLeftYieldsTheRight) {
  using A = typename TypeParam::Number;
  using R = isa::Register<A, TypeParam::width>;
  const typename R::Vector nan = std::numeric_limits<A>::quiet_NaN() - typename R::Vector{},
                           three = A(3) + decltype(nan){};
  EXPECT_EQ(R::greater(nan, three)[0], A(3));
  EXPECT_EQ(R::lesser(nan, three)[TypeParam::width - 1], A(3));
  EXPECT_TRUE(std::isnan(R::greater(three, nan)[0]));
  EXPECT_TRUE(std::isnan(R::lesser(three, nan)[TypeParam::width - 1]));
}

TYPED_TEST(Numbers, SumAndMaximumOverLanes) {
  using A = typename TypeParam::Number;
  constexpr int width = TypeParam::width;
  using R = isa::Register<A, width>;
  using Vector = typename R::Vector;
  EXPECT_EQ(R::sum(vector_of<Vector>([](int i) { return A(1 << i); })), A((1 << width) - 1));
  for (int best = 0; best < width; ++best) {
    EXPECT_EQ(R::maximum(vector_of<Vector>([&](int i) { return i == best ? A(-1) : A(-2 - i); })), A(-1)) << best;
  }
}

TYPED_TEST(Numbers, FourSumsSideBySide) {
  using A = typename TypeParam::Number;
  constexpr int width = TypeParam::width;
  if constexpr (width >= 4) {
    using R = isa::Register<A, width>;
    const auto x = [](int k) {
      return vector_of<typename R::Vector>([=](int i) { return A(i % 4 == k ? 100 * (k + 1) + i : k); });
    };
    const auto sums = R::sums_of_four(x(0), x(1), x(2), x(3));
    for (int k = 0; k < 4; ++k) {
      A want = 0;
      for (int i = 0; i < width; ++i) want += A(i % 4 == k ? 100 * (k + 1) + i : k);
      EXPECT_EQ(sums[k], want) << k;
    }
  }
}

TYPED_TEST(Numbers, InverseRootOverAllExponents) {
  using A = typename TypeParam::Number;
  using R = isa::Register<A, TypeParam::width>;
  using Vector = typename R::Vector;
  constexpr int low = std::numeric_limits<A>::min_exponent, high = std::numeric_limits<A>::max_exponent;
  for (int e = low; e < high - 1; ++e) {
    const Vector x = vector_of<Vector>([&](int i) { return std::ldexp(A(1) + A(i) / A(17), e); });
    const Vector got = R::inverse_root(x);
    for (int i = 0; i < TypeParam::width; ++i) {
      const double want = 1 / std::sqrt(static_cast<double>(x[i]));
      EXPECT_NEAR(got[i] / want, 1.0, 8 * std::numeric_limits<A>::epsilon()) << x[i];
    }
  }
  EXPECT_LT(R::inverse_root(std::numeric_limits<A>::infinity() + Vector{})[0], A(1e-18));
  EXPECT_TRUE(std::isnan(R::inverse_root(std::numeric_limits<A>::quiet_NaN() + Vector{})[TypeParam::width - 1]));
}

TYPED_TEST(Numbers, RoughQuotientsHaveElevenBits) {
  using A = typename TypeParam::Number;
  using R = isa::Register<A, TypeParam::width>;
  using Vector = typename R::Vector;
  for (int e = -120; e <= 120; ++e) {
    const Vector y = vector_of<Vector>([&](int i) { return std::ldexp(A(-1) - A(i) / A(17), e); });
    const Vector got = R::rough_quotient(A(3) + Vector{}, y);
    for (int i = 0; i < TypeParam::width; ++i) {
      EXPECT_NEAR(static_cast<double>(got[i]) * static_cast<double>(y[i]) / 3, 1.0, 1.5 * 0x1p-12) << y[i];
    }
  }
}

TYPED_TEST(Numbers, KeepingChangesNothing) {
  using R = isa::Register<typename TypeParam::Number, TypeParam::width>;
  auto x = vector_of<typename R::Vector>([](int i) { return i + 1; });
  R::keep(x);
  for (int i = 0; i < TypeParam::width; ++i) EXPECT_EQ(x[i], i + 1);
}

TYPED_TEST(Numbers, FirstLanesOfSeveralRegisters) {
  using A = typename TypeParam::Number;
  constexpr int n = 2 * register_bytes / static_cast<int>(sizeof(A));
  Lanes<A, n> x;
  for (int i = 0; i < n; ++i) x.set(i, A(i));
  for (int count = -1; count <= n + 1; ++count) {
    const Lanes<A, n> first = first_of(x, count, A(-7));
    for (int i = 0; i < n; ++i) EXPECT_EQ(first[i], i < count ? A(i) : A(-7)) << count;
  }
}

template <class S>
class Words : public testing::Test {};
using Widths = testing::Types<Shape<float, 4>, Shape<float, 8>, Shape<float, 16>>;
TYPED_TEST_SUITE(Words, Widths);

TYPED_TEST(Words, DotsOfPairsAreExact) {
  constexpr int width = TypeParam::width;
  using I = isa::Integers<width>;
  using Vector = typename I::Vector;
  const auto pair = [](int low, int high) {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(low) & 0xffffU) | static_cast<std::uint32_t>(high)
                                                                                       << 16);
  };
  std::mt19937 random(3);
  for (int round = 0; round < 1000; ++round) {
    int a[width], b[width], c[width], d[width];
    for (int i = 0; i < width; ++i) {
      for (int* x : {a, b, c, d}) x[i] = static_cast<int>(random() % 65536) - 32768;
      if (a[i] == -32768 && b[i] == -32768) a[i] = 0;  // the one sum that 32 bits do not hold
    }
    const Vector sum = vector_of<Vector>([&](int i) { return i % 2 == 0 ? i : -i; });
    const Vector got =
        I::add_dot_of_pairs(sum / 4096, vector_of<Vector>([&](int i) { return pair(a[i] / 2, b[i] / 2); }),
                            vector_of<Vector>([&](int i) { return pair(c[i], d[i]); }));
    for (int i = 0; i < width; ++i) EXPECT_EQ(got[i], sum[i] / 4096 + a[i] / 2 * c[i] + b[i] / 2 * d[i]);
  }
}

/// Products of whole numbers below 2^8, which bf16 holds, and their sums are exact in whatever order they are rounded.
TYPED_TEST(Words, DotsOfBf16AreExactForWholeNumbers) {
  constexpr int width = TypeParam::width;
  using H = isa::Halves<width>;
  const auto pair = [](int low, int high) {
    return static_cast<std::uint32_t>(narrow<Bf16>(static_cast<float>(low)).bits) |
           static_cast<std::uint32_t>(narrow<Bf16>(static_cast<float>(high)).bits) << 16;
  };
  std::mt19937 random(4);
  for (int round = 0; round < 1000; ++round) {
    int a[width], b[width], c[width], d[width], e[width];
    for (int i = 0; i < width; ++i) {
      for (int* x : {a, b, c, d, e}) x[i] = static_cast<int>(random() % 511) - 255;
    }
    const auto got = H::add_dot_of_bf16(vector_of<typename H::Floats>([&](int i) { return static_cast<float>(e[i]); }),
                                        vector_of<typename H::Words>([&](int i) { return pair(a[i], b[i]); }),
                                        vector_of<typename H::Words>([&](int i) { return pair(c[i], d[i]); }));
    for (int i = 0; i < width; ++i) EXPECT_EQ(got[i], static_cast<float>(e[i] + a[i] * c[i] + b[i] * d[i]));
  }
}

TYPED_TEST(Words, FourAreStoredSideBySide) {
  constexpr int width = TypeParam::width, stride = 6;
  using I = isa::Integers<width>;
  const auto row = [](int r) { return vector_of<typename I::Vector>([&](int i) { return 100 * r + i; }); };
  std::array<std::int32_t, width * stride> target{};
  I::store_transposed(target.data(), stride, row(1), row(2), row(3), row(4));
  for (int i = 0; i < width; ++i) {
    for (int r = 0; r < stride; ++r) {
      EXPECT_EQ(target[static_cast<std::size_t>(i * stride + r)], r < 4 ? 100 * (r + 1) + i : 0);
    }
  }
}

TYPED_TEST(Words, BytesKeepTheirSign) {
  constexpr int width = TypeParam::width;
  for (int first = -128; first < 128; first += width) {
    std::int8_t bytes[width];
    for (int i = 0; i < width; ++i) bytes[i] = static_cast<std::int8_t>(first + i);
    const auto got = isa::Integers<width>::load(bytes);
    for (int i = 0; i < width; ++i) EXPECT_EQ(got[i], first + i);
  }
}

TYPED_TEST(Words, NeighboursAndNegativeIndices) {
  constexpr int width = TypeParam::width;
  using I = isa::Integers<width>;
  std::int32_t index[width];
  std::iota(index, index + width, 41);
  EXPECT_FALSE(I::any_negative(index));
  for (int odd = 0; odd < width; ++odd) {
    const std::int32_t before = index[odd];
    index[odd] = before + 1;
    EXPECT_FALSE(I::are_neighbours(index)) << odd;
    index[odd] = -1;
    EXPECT_FALSE(I::are_neighbours(index)) << odd;
    EXPECT_TRUE(I::any_negative(index)) << odd;
    index[odd] = before;
  }
}

TYPED_TEST(Words, HalvesInMemoryOrder) {
  constexpr int width = TypeParam::width;
  using H = isa::Halves<width>;
  using Whole = typename H::Words;
  using Twice = typename H::Twice;
  for (std::uint32_t first = 0; first < 65536; first += width) {
    const Whole words = vector_of<Whole>([&](int i) { return first + static_cast<std::uint32_t>(i); });
    const auto narrow = H::narrowed(words);
    const Whole wide = H::widened(narrow);
    for (int i = 0; i < width; ++i) {
      EXPECT_EQ(narrow[i], words[i]);
      EXPECT_EQ(wide[i], words[i]);
    }
    const Twice both = H::both_narrowed(words, 65535U - words);
    for (int i = 0; i < width; ++i) {
      EXPECT_EQ(both[i], words[i]);
      EXPECT_EQ(both[width + i], 65535U - words[i]);
    }
    const Twice less = H::minus_saturated(both, Twice{} + 20000);
    for (int i = 0; i < 2 * width; ++i) EXPECT_EQ(less[i], std::max(both[i] - 20000, 0));
  }
  const Whole blend = H::blended(0x12345678U + Whole{}, 0x9abcdef0U + Whole{});
  for (int i = 0; i < width; ++i) EXPECT_EQ(blend[i], 0x9abc5678U);
}

TYPED_TEST(Words, OneNanIsFound) {
  constexpr int width = TypeParam::width;
  using H = isa::Halves<width>;
  using Floats = typename H::Floats;
  const Floats numbers = vector_of<Floats>([](int i) { return i % 3 == 0 ? HUGE_VALF : static_cast<float>(-i); });
  EXPECT_FALSE(H::any_nan(numbers, numbers));
  for (int odd = 0; odd < width; ++odd) {
    Floats x = numbers;
    x[odd] = nan_of_float;
    EXPECT_TRUE(H::any_nan(x, numbers)) << odd;
    EXPECT_TRUE(H::any_nan(numbers, x)) << odd;
  }
}

template <int bytes>
void expect_bytes_past_caches() {
  alignas(64) std::array<std::uint8_t, 128> target{};
  using P = isa::PastCaches<bytes>;
  P::store(target.data() + 64, vector_of<typename P::Vector>([](int i) { return static_cast<std::uint8_t>(i + 1); }));
  P::fence();
  for (int i = 0; i < 128; ++i) EXPECT_EQ(target[static_cast<std::size_t>(i)], i >= 64 && i < 64 + bytes ? i - 63 : 0);
}
TEST(PastCaches, StoresWhatItIsGiven) {
  expect_bytes_past_caches<16>();
  expect_bytes_past_caches<32>();
  expect_bytes_past_caches<64>();
}

}  // namespace
}  // namespace gable::device
