#include "backends/gpu/ceilings/compute_kernel.hpp"

#include "backends/gpu/kernels/chain.hpp"
#include "gpu_math.hpp"

namespace gable::gpu {
namespace {

/// x x + c with c in [-1.94, -1.68] keeps x within [-1.94, 1.83] and is chaotic there: the bits keep changing. Both are
/// exact for operands of 32 bits, fused or not.
__device__ double start_of(double u) { return 3.5 * u - 1.75; }
__device__ double constant_of(double u) { return -1.6875 - 0.25 * u; }

/// fma of `numbers` values at once; the second of two begins elsewhere.
template <DType type, int numbers>
struct FloatingPoint : ChainOperation<type> {
  static constexpr const char* instruction = "fma";
  static constexpr int packed = numbers;
  static constexpr double operations = 2 * numbers;
};

struct Fp64 : FloatingPoint<DType::fp64, 1> {
  using Value = double;
  __device__ static Value start(double u) { return start_of(u); }
  __device__ static Value constant(double u) { return constant_of(u); }
  __device__ static Value step(Value x, Value c) { return fma(x, x, c); }
};

struct Fp32 : FloatingPoint<DType::fp32, singles_packed> {
  using Value = Singles;
  __device__ static Value start(double u) {
    return make_singles(static_cast<float>(start_of(u)), static_cast<float>(start_of(1.0 - u)));
  }
  __device__ static Value constant(double u) {
    return make_singles(static_cast<float>(constant_of(u)), static_cast<float>(constant_of(1.0 - u)));
  }
  __device__ static Value step(Value x, Value c) { return square_and_add(x, c); }
};

struct Fp16 : FloatingPoint<DType::fp16, 2> {
  using Value = Half2;
  __device__ static Value start(double u) {
    return make_half2(static_cast<float>(start_of(u)), static_cast<float>(start_of(1.0 - u)));
  }
  __device__ static Value constant(double u) {
    return make_half2(static_cast<float>(constant_of(u)), static_cast<float>(constant_of(1.0 - u)));
  }
  __device__ static Value step(Value x, Value c) { return square_and_add(x, c); }
};

struct Bf16 : FloatingPoint<DType::bf16, 2> {
  using Value = Bfloat2;
  __device__ static Value start(double u) {
    return make_bfloat2(static_cast<float>(start_of(u)), static_cast<float>(start_of(1.0 - u)));
  }
  __device__ static Value constant(double u) {
    return make_bfloat2(static_cast<float>(constant_of(u)), static_cast<float>(constant_of(1.0 - u)));
  }
  template <class Pair>  // so that it need not exist
  __device__ static Pair step(Pair x, Pair c) {
    return square_and_add(x, c);
  }
};

__device__ std::uint32_t word_of(double u) { return static_cast<std::uint32_t>(u * 0x1p32); }

/// x c + c modulo 2^32 with c = 5 modulo 8: a linear congruential generator of full period (Hull and Dobell, SIAM
/// Review 4(3), 1962).
struct Int32 : ChainOperation<DType::int32> {
  static constexpr const char* instruction = "mad";
  static constexpr double operations = 2;
  using Value = std::uint32_t;
  __device__ static Value start(double u) { return word_of(u); }
  __device__ static Value constant(double u) { return (word_of(u) & ~7U) | 5U; }
  __device__ static Value step(Value x, Value c) { return x * c + c; }
};

/// The bytes of x times the bytes of c, added to x modulo 2^32.
struct Int8 : ChainOperation<DType::int8, DType::int32> {
  static constexpr const char* instruction = "dot4";
  static constexpr double operations = 8;
  using Value = std::int32_t;
  __device__ static Value start(double u) { return static_cast<std::int32_t>(word_of(u)); }
  __device__ static Value constant(double u) { return static_cast<std::int32_t>(word_of(u)); }
  __device__ static Value step(Value x, Value c) { return dot4(x, c, x); }
};

template <DType type>
struct Exponential : ChainOperation<type> {
  static constexpr Unit unit = Unit::exp;
  static constexpr double operations = 1;
};

/// One exponential a step, as the unit gives it. exp(x) of fp32, fp16 and bf16 operators is this instruction after a
/// multiplication by log2(e).
struct ExpFp32 : Exponential<DType::fp32> {
  static constexpr const char* instruction = exp2_instruction;
  static constexpr int steps = 16;
  using Value = float;
  __device__ static Value start(double u) { return static_cast<float>(u); }
  __device__ static Value constant(double u) { return static_cast<float>(2.75 + 0.25 * u); }
  __device__ static Value step(Value x, Value c) { return exp2_step(x, c); }
};

/// c - exp(x) with the vendor's exp of doubles, which is a polynomial on the fp64 units, as operators call it.
struct ExpFp64 : Exponential<DType::fp64> {
  static constexpr const char* instruction = "exp_function";
  static constexpr int chains = 4, steps = 1;
  using Value = double;
  __device__ static Value start(double u) { return u; }
  __device__ static Value constant(double u) { return 1.75 + 0.25 * u; }
  __device__ static Value step(Value x, Value c) { return c - exp(x); }
};

/// A pair of 2-byte values to fp32 and back: four conversions. Exchanging them is free and keeps the bits changing.
template <DType type>
struct Conversion : ChainOperation<type, DType::fp32> {
  static constexpr Unit unit = Unit::convert;
  static constexpr const char* instruction = "cvt";
  static constexpr int steps = 16, packed = 2;
  static constexpr double operations = 4;
};

struct ConvertFp16 : Conversion<DType::fp16> {
  using Value = Half2;
  __device__ static Value start(double u) { return Fp16::start(u); }
  __device__ static Value constant(double u) { return Fp16::constant(u); }
  __device__ static Value step(Value x, Value) { return converted_and_swapped(x); }
};

struct ConvertBf16 : Conversion<DType::bf16> {
  using Value = Bfloat2;
  __device__ static Value start(double u) { return Bf16::start(u); }
  __device__ static Value constant(double u) { return Bf16::constant(u); }
  __device__ static Value step(Value x, Value) { return converted_and_swapped(x); }
};

/// One reciprocal a step, as the unit gives it: no division and no root does with less, and what makes them exact is
/// arithmetic of the vector units. NVIDIA's assembler leaves out two of them behind one another: a branch lies between.
template <DType type, class Number>
struct Reciprocal : ChainOperation<type> {
  static constexpr Unit unit = Unit::divide;
  static constexpr const char* instruction = "rcp";
  static constexpr int steps = 1;
  static constexpr double operations = 1;
  using Value = Number;
  __device__ static Value start(double u) { return static_cast<Number>(0.5 + u); }
  __device__ static Value constant(double) { return 0; }
  __device__ static Value step(Value x, Value) { return reciprocal(x); }
};
struct DivideFp64 : Reciprocal<DType::fp64, double> {};
struct DivideFp32 : Reciprocal<DType::fp32, float> {};

ComputeKernel bf16_entry() {
  if constexpr (no_bfloat_fma.empty()) {
    return chain_entry<Bf16>();
  } else {
    return no_kernel(Unit::vector, DType::bf16, DType::bf16, no_bfloat_fma);
  }
}

}  // namespace

std::vector<ComputeKernel> vector_kernels() {
  return {chain_entry<Fp64>(),        chain_entry<Fp32>(),        chain_entry<Fp16>(),       bf16_entry(),
          chain_entry<Int8>(),        chain_entry<Int32>(),       chain_entry<ExpFp64>(),    chain_entry<ExpFp32>(),
          chain_entry<ConvertFp16>(), chain_entry<ConvertBf16>(), chain_entry<DivideFp64>(), chain_entry<DivideFp32>()};
}

}  // namespace gable::gpu
