#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "operators/device/function.hpp"
#include "operators/device/storage_types.hpp"

#if !defined(GABLE_ARRAY_LANES)
namespace gable::device {

/// The compiler's vector of N elements of A.
template <class A, int N>
struct VectorOf {
  typedef A type __attribute__((vector_size(N * sizeof(A))));
};

/// The vocabulary of instructions, on vectors of any width. Each template here is written in the compiler's vector
/// extension, which any processor can run, and inherits its functions from a `Portable` one of the same name; the files
/// beside this one specialise it for the registers of an instruction set and replace what that does better. A vector
/// wider than a register stays portable: the compiler splits it.
namespace isa {

template <int first, class Vector, std::size_t... i>
GABLE_FUNCTION auto picked(Vector x, std::index_sequence<i...>) {
  return __builtin_shufflevector(x, x, (first + static_cast<int>(i))...);
}
/// The elements [first, first + count) of x.
template <int first, int count, class Vector>
GABLE_FUNCTION auto part_of(Vector x) {
  return picked<first>(x, std::make_index_sequence<count>{});
}

template <class A, int width>
struct Register;

/// A register of `width` numbers.
template <class A, int width>
struct PortableRegister {
  using Vector = typename VectorOf<A, width>::type;
  using Whole = Register<A, width>;
  using Half = Register<A, width / 2>;

  static GABLE_FUNCTION Vector root(Vector x) {
    for (int i = 0; i < width; ++i) x[i] = std::sqrt(x[i]);
    return x;
  }
  /// x where x > y, else y: a NaN in x yields y.
  static GABLE_FUNCTION Vector greater(Vector x, Vector y) { return x > y ? x : y; }
  /// x where x < y, else y: a NaN in x yields y.
  static GABLE_FUNCTION Vector lesser(Vector x, Vector y) { return x < y ? x : y; }
  /// 1 / sqrt(x) for x > 0 that is a normal number, to some units in the last place; about 0 for infinity.
  static GABLE_FUNCTION Vector inverse_root(Vector x) { return A(1) / Whole::root(x); }
  /// x / y with a relative error of at most 1.5 2^-12, for normal y; may be 0 for |y| > 2^126.
  static GABLE_FUNCTION Vector rough_quotient(Vector x, Vector y) { return x / y; }
  /// Sum of all elements: upper half and lower half, and so on.
  static GABLE_FUNCTION A sum(Vector x) {
    if constexpr (width == 1) {
      return x[0];
    } else if constexpr (width == 2) {
      return x[0] + x[1];
    } else {
      return Half::sum(part_of<0, width / 2>(x) + part_of<width / 2, width / 2>(x));
    }
  }
  /// Largest element, in the same order.
  static GABLE_FUNCTION A maximum(Vector x) {
    if constexpr (width == 1) {
      return x[0];
    } else if constexpr (width == 2) {
      return x[0] > x[1] ? x[0] : x[1];
    } else {
      return Half::maximum(Half::greater(part_of<0, width / 2>(x), part_of<width / 2, width / 2>(x)));
    }
  }
  /// The sums of four registers side by side.
  static GABLE_FUNCTION typename VectorOf<A, 4>::type sums_of_four(Vector a, Vector b, Vector c, Vector d) {
    if constexpr (width > 4) {
      constexpr int half = width / 2;
      return Half::sums_of_four(
          part_of<0, half>(a) + part_of<half, half>(a), part_of<0, half>(b) + part_of<half, half>(b),
          part_of<0, half>(c) + part_of<half, half>(c), part_of<0, half>(d) + part_of<half, half>(d));
    } else {
      static_assert(width == 4);
      const Vector ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
      const Vector cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
      return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    }
  }
  /// Keeps the compiler from spilling x to memory and reading it again for each use. Does nothing if it cannot.
  static GABLE_FUNCTION void keep(Vector&) {}
};
template <class A, int width>
struct Register : PortableRegister<A, width> {};

/// `width` integers of 32 bits.
template <int width>
struct PortableIntegers {
  using Vector = typename VectorOf<std::int32_t, width>::type;

  static GABLE_FUNCTION Vector load(const std::int8_t* source) {
    typename VectorOf<std::int8_t, width>::type bytes;
    std::memcpy(&bytes, source, sizeof bytes);
    return __builtin_convertvector(bytes, Vector);
  }
  /// sum + low(x) low(y) + high(x) high(y) of the 16-bit halves of each element, signed.
  static GABLE_FUNCTION Vector add_dot_of_pairs(Vector sum, Vector x, Vector y) {
    return sum + ((x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16));
  }
  /// Whether one instruction adds the products of the four bytes of each element, those of x unsigned.
  static constexpr bool has_dot_of_quads = false;
  /// Element i of the four registers side by side at target + i * stride, for each i.
  static GABLE_FUNCTION void store_transposed(std::int32_t* target, std::ptrdiff_t stride, Vector a, Vector b, Vector c,
                                              Vector d) {
    constexpr auto all = std::make_index_sequence<width>{};
    const Vector ab[] = {interleaved<0>(a, b, all), interleaved<2>(a, b, all)};
    const Vector cd[] = {interleaved<0>(c, d, all), interleaved<2>(c, d, all)};
    store_fours(target, stride, joined<0>(ab[0], cd[0], all), std::make_index_sequence<width / 4>{});
    store_fours(target + stride, stride, joined<2>(ab[0], cd[0], all), std::make_index_sequence<width / 4>{});
    store_fours(target + 2 * stride, stride, joined<0>(ab[1], cd[1], all), std::make_index_sequence<width / 4>{});
    store_fours(target + 3 * stride, stride, joined<2>(ab[1], cd[1], all), std::make_index_sequence<width / 4>{});
  }
  /// Whether the integers in memory are neighbours in ascending order. False where there is no quick way to tell.
  static GABLE_FUNCTION bool are_neighbours(const std::int32_t*) { return false; }
  static GABLE_FUNCTION bool any_negative(const std::int32_t* index) {
    std::int32_t any = 0;
#pragma GCC unroll 16
    for (int i = 0; i < width; ++i) any |= index[i];
    return any < 0;
  }

 private:
  /// Of each four elements of x and y two, from `first` on: x, y, x, y; and x, x, y, y.
  template <int first, std::size_t... i>
  static GABLE_FUNCTION Vector interleaved(Vector x, Vector y, std::index_sequence<i...>) {
    return __builtin_shufflevector(x, y, (static_cast<int>(i / 4 * 4 + i % 4 / 2 + i % 2 * width) + first)...);
  }
  template <int first, std::size_t... i>
  static GABLE_FUNCTION Vector joined(Vector x, Vector y, std::index_sequence<i...>) {
    return __builtin_shufflevector(x, y, (static_cast<int>(i / 4 * 4 + i % 2 + i % 4 / 2 * width) + first)...);
  }
  /// Element 4 i of x and the three after it at target + 4 i * stride.
  template <std::size_t... i>
  static GABLE_FUNCTION void store_fours(std::int32_t* target, std::ptrdiff_t stride, Vector x,
                                         std::index_sequence<i...>) {
    const auto store = [](std::int32_t* to, auto four) { std::memcpy(to, &four, sizeof four); };
    (store(target + static_cast<std::ptrdiff_t>(4 * i) * stride, part_of<4 * static_cast<int>(i), 4>(x)), ...);
  }
};
template <int width>
struct Integers : PortableIntegers<width> {};

/// Elements of 16 bits, of which `width` are as many as numbers of 32 bits in a register.
template <int width>
struct PortableHalves {
  using Narrow = typename VectorOf<std::uint16_t, width>::type;
  using Twice = typename VectorOf<std::uint16_t, 2 * width>::type;
  using Words = typename VectorOf<std::uint32_t, width>::type;
  using Floats = typename VectorOf<float, width>::type;

  static GABLE_FUNCTION Words widened(Narrow x) { return __builtin_convertvector(x, Words); }
  /// Of words below 2^16.
  static GABLE_FUNCTION Narrow narrowed(Words x) { return __builtin_convertvector(x, Narrow); }
  /// The same of two registers, those of the first in front.
  static GABLE_FUNCTION Twice both_narrowed(Words x, Words y) {
    return even_elements(Twice(x), Twice(y), std::make_index_sequence<2 * width>{});
  }
  /// The lower halves of the words of x, the upper ones of y.
  static GABLE_FUNCTION Words blended(Words x, Words y) { return (x & 0xffffU) | (y & 0xffff0000U); }
  /// x - y, or 0 where that is negative.
  static GABLE_FUNCTION Twice minus_saturated(Twice x, Twice y) { return x > y ? x - y : Twice{}; }
  /// Whether the processor has one instruction for add_dot_of_bf16.
  static constexpr bool has_dot_of_bf16 = false;
  /// sum + low(x) low(y) + high(x) high(y) of the bf16 that are the halves of each word. An instruction for it takes
  /// subnormals for 0, makes none, and rounds in an order of its own.
  static GABLE_FUNCTION Floats add_dot_of_bf16(Floats sum, Words x, Words y) {
    return sum + Floats(x << 16) * Floats(y << 16) + Floats(x & 0xffff0000U) * Floats(y & 0xffff0000U);
  }
  static GABLE_FUNCTION bool any_nan(Floats x, Floats y) {
    const Words nan = Words((x != x) | (y != y));  // NOLINT: not for NaN
    std::uint32_t any = 0;
#pragma GCC unroll 16
    for (int i = 0; i < width; ++i) any |= nan[i];
    return any != 0;
  }

 private:
  template <std::size_t... i>
  static GABLE_FUNCTION Twice even_elements(Twice x, Twice y, std::index_sequence<i...>) {
    return __builtin_shufflevector(x, y, (2 * static_cast<int>(i))...);
  }
};
template <int width>
struct Halves : PortableHalves<width> {};

/// `width` fp16 in memory as floats and back: exact, or rounded to nearest even, subnormals and NaN too.
template <int width>
struct PortableFp16 {
  using Narrow = typename PortableHalves<width>::Narrow;
  using Words = typename PortableHalves<width>::Words;
  using Floats = typename PortableHalves<width>::Floats;

  static GABLE_FUNCTION Floats load(const Fp16* source) {
    Narrow bits;
    std::memcpy(&bits, source, sizeof bits);
    return portable::widen_fp16_bits<Floats>(Halves<width>::widened(bits));
  }
  static GABLE_FUNCTION void store(Fp16* target, Floats x) {
    const Narrow bits = Halves<width>::narrowed(portable::narrow_fp16_bits<Words>(x));
    std::memcpy(target, &bits, sizeof bits);
  }
};
template <int width>
struct Fp16Vector : PortableFp16<width> {};

/// One fp16.
struct PortableScalar {
  static GABLE_FUNCTION float widen(Fp16 x) { return portable::widen(x); }
  static GABLE_FUNCTION Fp16 narrow(float x) { return portable::narrow_fp16(x); }
};
/// T is Fp16.
template <class T>
struct Scalar : PortableScalar {};

/// Stores that leave no copy in the caches, where the instruction set has them; their address is a multiple of their
/// size. fence() before other threads may read what was stored.
template <int bytes>
struct PastCaches {
  using Vector = typename VectorOf<std::uint8_t, bytes>::type;
  static GABLE_FUNCTION void store(void* target, Vector x) {
    if constexpr (bytes > 16) {
      PastCaches<bytes / 2>::store(target, part_of<0, bytes / 2>(x));
      PastCaches<bytes / 2>::store(static_cast<char*>(target) + bytes / 2, part_of<bytes / 2, bytes / 2>(x));
    } else {
      std::memcpy(target, &x, sizeof x);
    }
  }
  static GABLE_FUNCTION void fence() {
    if constexpr (bytes > 16) PastCaches<bytes / 2>::fence();
  }
};

}  // namespace isa
}  // namespace gable::device
#endif
