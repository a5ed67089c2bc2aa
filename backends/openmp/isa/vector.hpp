#pragma once
// Registers of x86 and NEON as far as the compilers' own vector types do the arithmetic; see loops.hpp for the rules.
// An ISA file derives from these and adds what needs an intrinsic.
#include "backends/openmp/isa/isa_table.hpp"

namespace gable::isa {
namespace {

/// What a type is called in the tables, and the integer of its size.
template <class T>
struct Element;
template <>
struct Element<double> {
  using Bits = std::uint64_t;
  static constexpr const char* name = "fp64";
};
template <>
struct Element<float> {
  using Bits = std::uint32_t;
  static constexpr const char* name = "fp32";
};
template <>
struct Element<std::uint32_t> {  // unsigned, because sums wrap around
  using Bits = std::uint32_t;
  static constexpr const char* name = "int32";
};

/// `size` bytes of T.
template <class T, std::size_t size>
struct Vector {
  typedef T Reg __attribute__((vector_size(size), may_alias));
  typedef typename Element<T>::Bits Bits __attribute__((vector_size(size)));
  static constexpr const char *unit = "vector", *dtype = Element<T>::name, *accumulate = dtype;
  static constexpr double operations = 2.0 * size / sizeof(T);

  static constexpr std::size_t bytes() { return size; }
  static Reg load(const void* p) { return *static_cast<const Reg*>(p); }
  static Reg set(T x) { return x - Reg{}; }
  static Reg zero() { return Reg{}; }
  static Reg add(Reg a, Reg b) { return a + b; }
  static Reg sub(Reg a, Reg b) { return a - b; }
  static Reg mul(Reg a, Reg b) { return a * b; }
  static Reg div(Reg a, Reg b) { return a / b; }
  /// x 2^n, n in the low bits of `shifted`.
  template <int mantissa>
  static Reg scale(Reg x, Reg shifted) {
    return (Reg)((Bits)x + ((Bits)shifted << mantissa));
  }
  static void store(void* p, Reg x) { *static_cast<Reg*>(p) = x; }
  static void fence() {}
};

/// `size` bytes of int8 factors, whose products are summed in int32.
template <std::size_t size>
struct Int8 : Vector<std::uint32_t, size> {
  static constexpr const char* dtype = "int8";
  static constexpr double operations = 2.0 * size;
};

/// One T in a register.
template <class T>
struct Scalar {
  using Reg = T;
  static constexpr const char *unit = "scalar", *dtype = Element<T>::name, *accumulate = dtype;
  static constexpr double operations = 2;

  static constexpr std::size_t bytes() { return sizeof(T); }
  static Reg load(const void* p) { return *static_cast<const T*>(p); }
  static Reg add(Reg a, Reg b) { return a + b; }
  static Reg mul(Reg a, Reg b) { return a * b; }
  static Reg fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
  static Reg fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static void store(void* p, Reg x) { *static_cast<T*>(p) = x; }
};

/// A register of 2-byte elements of the type that an ISA file names, converted to fp32 and back.
template <std::size_t size>
struct Conversion {
  typedef std::uint16_t Reg __attribute__((vector_size(size), may_alias));
  static constexpr const char *unit = "convert", *accumulate = "fp32";
  static constexpr double operations = size;  // elements, there and back

  static constexpr std::size_t bytes() { return size; }
  static Reg load(const void* p) { return *static_cast<const Reg*>(p); }
  static void store(void* p, Reg x) { *static_cast<Reg*>(p) = x; }
};

}  // namespace
}  // namespace gable::isa
