#pragma once
#include "operators/device/function.hpp"
#include "operators/device/isa/portable.hpp"

/// The vocabulary in the registers that Google Highway finds for the compiler's instruction set: SSE4, AVX2, AVX-512,
/// NEON. Where it finds none that an object can hold, the portable form stays.
#if !defined(GABLE_ARRAY_LANES)
// The vectors of SVE, which no object can hold: NEON is found in their place.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#define HWY_COMPILE_ONLY_STATIC  // the target is the compiler's, not chosen when the program runs
#if defined(__aarch64__)  // no choice at run time: its functions would require cryptography, which cannot be inlined
                          // elsewhere
#define HWY_HAVE_RUNTIME_DISPATCH 0
#define TOOLCHAIN_MISS_SYS_AUXV_H  // the same for Highway 1.0
#endif
#define HWY_DISABLE_PCLMUL_AES  // which x86-64-v2 to v4 do not include, and nothing here uses
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && !HWY_HAVE_SCALABLE
namespace gable::device::isa {

namespace hn = hwy::HWY_NAMESPACE;

/// Bytes of its largest register.
inline constexpr int highway_bytes = HWY_MAX_BYTES;

/// Whether `width` elements of A fill a register of 16 bytes or more.
template <class A, int width>
inline constexpr bool fits_register = width * sizeof(A) >= 16 && width * sizeof(A) <= highway_bytes;

/// A vector as Highway has it, and back. Both are the same register.
template <class A, int width>
using Highway = hn::Vec<hn::FixedTag<A, width>>;
template <class A, int width, class Vector>
GABLE_FUNCTION Highway<A, width> to_highway(Vector x) {
  return Highway<A, width>{decltype(Highway<A, width>::raw)(x)};
}

template <class A, int width>
requires(fits_register<A, width>) struct Register<A, width> : PortableRegister<A, width> {
  using typename PortableRegister<A, width>::Vector;
  using Tag = hn::FixedTag<A, width>;

  static GABLE_FUNCTION Vector root(Vector x) { return Vector(hn::Sqrt(in(x)).raw); }
  /// The compiler would compare and blend, which takes two instructions.
  static GABLE_FUNCTION Vector greater(Vector x, Vector y) {
    if constexpr (max_is_ordered) return Vector(hn::Max(in(x), in(y)).raw);
    return x > y ? x : y;
  }
  static GABLE_FUNCTION Vector lesser(Vector x, Vector y) {
    if constexpr (max_is_ordered) return Vector(hn::Min(in(x), in(y)).raw);
    return x < y ? x : y;
  }
  static GABLE_FUNCTION void keep(Vector& x) {
#if HWY_ARCH_X86
    asm("" : "+v"(x));
#elif HWY_ARCH_ARM_A64
    asm("" : "+w"(x));
#endif
  }
  /// fp32: the instruction's 12 bits or more and one step of Newton's: 23 bits, in half the time of root and division.
  /// Numbers that large are infinity to it, for which the step would make a NaN; a NaN stays one.
  static GABLE_FUNCTION Vector inverse_root(Vector x) {
    if constexpr (sizeof(A) == 4 && rough_is_exact_enough) {
      const Vector finite = lesser(Vector{} + A(0x1p127), x);
      const Vector guess = Vector(hn::ApproximateReciprocalSqrt(in(finite)).raw);
      return guess * (A(1.5) + A(-0.5) * finite * guess * guess);
    } else {
      return A(1) / root(x);
    }
  }
  /// AMD's and Intel's manuals state the error of the estimate.
  static GABLE_FUNCTION Vector rough_quotient(Vector x, Vector y) {
    if constexpr (sizeof(A) == 4 && rough_is_exact_enough) return x * Vector(hn::ApproximateReciprocal(in(y)).raw);
    return x / y;
  }

 private:
  /// x86 takes the second operand for a NaN in the first, as greater() and lesser() do, and estimates with 12 bits or
  /// more; NEON takes the NaN, and estimates with 8.
  static constexpr bool max_is_ordered = HWY_ARCH_X86 != 0, rough_is_exact_enough = HWY_ARCH_X86 != 0;
  static GABLE_FUNCTION auto in(Vector x) { return to_highway<A, width>(x); }
};

template <int width>
requires(fits_register<std::int32_t, width>) struct Integers<width> : PortableIntegers<width> {
  using typename PortableIntegers<width>::Vector;
  using Tag = hn::FixedTag<std::int32_t, width>;

  static GABLE_FUNCTION Vector load(const std::int8_t* source) {
    return Vector(hn::PromoteTo(Tag(), hn::LoadU(hn::FixedTag<std::int8_t, width>(), source)).raw);
  }
  /// One instruction on x86; elsewhere Highway keeps two sums of other products.
  static GABLE_FUNCTION Vector add_dot_of_pairs(Vector sum, Vector x, Vector y) {
    if constexpr (HWY_ARCH_X86 != 0) {
      auto second_sum = hn::Zero(Tag());
      return Vector(hn::ReorderWidenMulAccumulate(Tag(), halves(x), halves(y), in(sum), second_sum).raw);
    } else {
      return PortableIntegers<width>::add_dot_of_pairs(sum, x, y);
    }
  }
#if defined(__AVX512VNNI__)
  /// Highway 1.0.3 has no function that uses the instruction. It does not saturate: sums are exact modulo 2^32.
  static constexpr bool has_dot_of_quads = width == 16;
  static GABLE_FUNCTION Vector add_dot_of_quads(Vector sum, Vector x, Vector y) {
    return Vector(_mm512_dpbusd_epi32(__m512i(sum), __m512i(x), __m512i(y)));
  }
#endif
  static GABLE_FUNCTION bool are_neighbours(const std::int32_t* index) {
    if constexpr (width < 8) {
      return false;  // four are loaded one by one in the time that telling takes
    } else {
      return hn::AllTrue(Tag(), hn::Eq(hn::LoadU(Tag(), index), hn::Iota(Tag(), *index)));
    }
  }
  static GABLE_FUNCTION bool any_negative(const std::int32_t* index) {
    return !hn::AllFalse(Tag(), hn::Lt(hn::LoadU(Tag(), index), hn::Zero(Tag())));
  }

 private:
  static GABLE_FUNCTION auto in(Vector x) { return to_highway<std::int32_t, width>(x); }
  static GABLE_FUNCTION auto halves(Vector x) { return hn::BitCast(hn::FixedTag<std::int16_t, 2 * width>(), in(x)); }
};

/// The compiler's own conversions and selections take several instructions where these have one.
template <int width>
requires(fits_register<float, width>) struct Halves<width> : PortableHalves<width> {
  using typename PortableHalves<width>::Narrow;
  using typename PortableHalves<width>::Twice;
  using typename PortableHalves<width>::Words;
  using typename PortableHalves<width>::Floats;

  static GABLE_FUNCTION Words blended(Words x, Words y) {
    return Words(hn::OddEven(to_highway<std::uint16_t, 2 * width>(y), to_highway<std::uint16_t, 2 * width>(x)).raw);
  }
  static GABLE_FUNCTION Twice minus_saturated(Twice x, Twice y) {
    return Twice(
        hn::SaturatedSub(to_highway<std::uint16_t, 2 * width>(x), to_highway<std::uint16_t, 2 * width>(y)).raw);
  }
#if defined(__AVX512BF16__)
  /// Highway 1.0.3 has no function that uses the instruction.
  static constexpr bool has_dot_of_bf16 = width == 16;
  static GABLE_FUNCTION Floats add_dot_of_bf16(Floats sum, Words x, Words y) {
    if constexpr (has_dot_of_bf16) {
      return Floats(_mm512_dpbf16_ps(__m512(sum), __m512bh(x), __m512bh(y)));
    } else {
      return PortableHalves<width>::add_dot_of_bf16(sum, x, y);
    }
  }
#endif
  static GABLE_FUNCTION bool any_nan(Floats x, Floats y) {
    const auto nan = hn::Or(hn::IsNaN(to_highway<float, width>(x)), hn::IsNaN(to_highway<float, width>(y)));
    return !hn::AllFalse(hn::FixedTag<float, width>(), nan);
  }
  static GABLE_FUNCTION Words widened(Narrow x) {
    if constexpr (sizeof(Narrow) >= 16) {
      return Words(hn::PromoteTo(hn::FixedTag<std::uint32_t, width>(), to_highway<std::uint16_t, width>(x)).raw);
    } else {
      return PortableHalves<width>::widened(x);
    }
  }
  static GABLE_FUNCTION Narrow narrowed(Words x) {
    if constexpr (sizeof(Narrow) >= 16) {
      return Narrow(halved(x).raw);
    } else {
      return PortableHalves<width>::narrowed(x);
    }
  }
  static GABLE_FUNCTION Twice both_narrowed(Words x, Words y) {
    return Twice(hn::Combine(hn::FixedTag<std::uint16_t, 2 * width>(), halved(y), halved(x)).raw);
  }

 private:
  static GABLE_FUNCTION auto halved(Words x) {
    return hn::DemoteTo(hn::FixedTag<std::uint16_t, width>(), to_highway<std::int32_t, width>(x));
  }
};

/// Whether the processor converts fp16 itself (F16C, NEON); what Highway does elsewhere is not exact.
inline constexpr bool converts_fp16 = (HWY_ARCH_ARM_A64 != 0 || (HWY_ARCH_X86 != 0 && HWY_TARGET <= HWY_AVX2));

template <int width>
requires(converts_fp16&& fits_register<float, width>) struct Fp16Vector<width> : PortableFp16<width> {
  using typename PortableFp16<width>::Floats;
  using Tag = hn::FixedTag<hwy::float16_t, width>;

  static GABLE_FUNCTION Floats load(const Fp16* source) {
    return Floats(
        hn::PromoteTo(hn::FixedTag<float, width>(), hn::LoadU(Tag(), reinterpret_cast<const hwy::float16_t*>(source)))
            .raw);
  }
  static GABLE_FUNCTION void store(Fp16* target, Floats x) {
    hn::StoreU(hn::DemoteTo(Tag(), to_highway<float, width>(x)), Tag(), reinterpret_cast<hwy::float16_t*>(target));
  }
};

template <>
struct Scalar<Fp16> {
  static GABLE_FUNCTION float widen(Fp16 x) {
    if constexpr (converts_fp16) {
      return hn::GetLane(hn::PromoteTo(One(), hn::BitCast(Half(), hn::Set(Bits(), x.bits))));
    } else {
      return PortableScalar::widen(x);
    }
  }
  static GABLE_FUNCTION Fp16 narrow(float x) {
    if constexpr (converts_fp16) {
      return {hn::GetLane(hn::BitCast(Bits(), hn::DemoteTo(Half(), hn::Set(One(), x))))};
    } else {
      return PortableScalar::narrow(x);
    }
  }

 private:
  using One = hn::FixedTag<float, 1>;
  using Half = hn::FixedTag<hwy::float16_t, 1>;
  using Bits = hn::FixedTag<std::uint16_t, 1>;
};

template <int bytes>
requires(fits_register<std::uint8_t, bytes>) struct PastCaches<bytes> {
  using Vector = typename VectorOf<std::uint8_t, bytes>::type;
  static GABLE_FUNCTION void store(void* target, Vector x) {
    hn::Stream(to_highway<std::uint8_t, bytes>(x), hn::FixedTag<std::uint8_t, bytes>(),
               static_cast<std::uint8_t*>(target));
  }
  static GABLE_FUNCTION void fence() { hwy::FlushStream(); }
};

}  // namespace gable::device::isa
#endif
#endif
