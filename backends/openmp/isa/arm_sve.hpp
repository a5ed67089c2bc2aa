#pragma once
// Scalable register types of the sve files; see loops.hpp for the rules. The vector length is known at run time only.
#include <arm_sve.h>

#include "backends/openmp/isa/rows.hpp"

namespace gable::isa {
namespace {

/// Lanes of the sink, or fewer where vectors are shorter.
inline svbool_t sink_lanes_64() { return svwhilelt_b64_u32(0, sink_bytes / 8); }
inline svbool_t sink_lanes_32() { return svwhilelt_b32_u32(0, sink_bytes / 4); }
inline svbool_t sink_lanes_16() { return svwhilelt_b16_u32(0, sink_bytes / 2); }

struct Fp64 {
  using Reg = svfloat64_t;
  static constexpr const char *unit = "vector", *dtype = "fp64", *accumulate = dtype;
  static constexpr double operations = 4;
  static std::size_t bytes() { return svcntb(); }
  static Reg load(const void* p) { return svld1_f64(svptrue_b64(), static_cast<const double*>(p)); }
  static Reg set(double x) { return svdup_n_f64(x); }
  static Reg add(Reg a, Reg b) { return svadd_f64_x(svptrue_b64(), a, b); }
  static Reg mul(Reg a, Reg b) { return svmul_f64_x(svptrue_b64(), a, b); }
  static Reg div(Reg a, Reg b) { return svdiv_f64_x(svptrue_b64(), a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return svmad_f64_x(svptrue_b64(), a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return svmsb_f64_x(svptrue_b64(), a, b, c); }
  /// x 2^n, n in the low bits of `shifted`.
  template <int mantissa>
  static Reg scale(Reg x, Reg shifted) {
    const auto n = svlsl_n_s64_x(svptrue_b64(), svreinterpret_s64_f64(shifted), mantissa);
    return svreinterpret_f64_s64(svadd_s64_x(svptrue_b64(), svreinterpret_s64_f64(x), n));
  }
  static void store(void* p, Reg x) { svst1_f64(sink_lanes_64(), static_cast<double*>(p), x); }
};

struct Fp32 {
  using Reg = svfloat32_t;
  static constexpr const char *unit = "vector", *dtype = "fp32", *accumulate = dtype;
  static constexpr double operations = 8;
  static std::size_t bytes() { return svcntb(); }
  static Reg load(const void* p) { return svld1_f32(svptrue_b32(), static_cast<const float*>(p)); }
  static Reg set(float x) { return svdup_n_f32(x); }
  static Reg add(Reg a, Reg b) { return svadd_f32_x(svptrue_b32(), a, b); }
  static Reg mul(Reg a, Reg b) { return svmul_f32_x(svptrue_b32(), a, b); }
  static Reg div(Reg a, Reg b) { return svdiv_f32_x(svptrue_b32(), a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return svmad_f32_x(svptrue_b32(), a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return svmsb_f32_x(svptrue_b32(), a, b, c); }
  template <int mantissa>
  static Reg scale(Reg x, Reg shifted) {
    const auto n = svlsl_n_s32_x(svptrue_b32(), svreinterpret_s32_f32(shifted), mantissa);
    return svreinterpret_f32_s32(svadd_s32_x(svptrue_b32(), svreinterpret_s32_f32(x), n));
  }
  static void store(void* p, Reg x) { svst1_f32(sink_lanes_32(), static_cast<float*>(p), x); }
};

/// int8 factors, whose products are summed in int32.
struct Int8 {
  using Reg = svint32_t;
  static constexpr const char *unit = "vector", *dtype = "int8", *accumulate = "int32";
  static constexpr double operations = 32;
  static svint8_t factor(const char* p) { return svld1_s8(svptrue_b8(), reinterpret_cast<const std::int8_t*>(p)); }
  static std::size_t bytes() { return svcntb(); }
  static Reg load(const void* p) { return svld1_s32(svptrue_b32(), static_cast<const std::int32_t*>(p)); }
  static Reg add(Reg a, Reg b) { return svadd_s32_x(svptrue_b32(), a, b); }
  static void store(void* p, Reg x) { svst1_s32(sink_lanes_32(), static_cast<std::int32_t*>(p), x); }
};

/// A table whose operations are given per 128 bits, made for the vector length of this machine; done once, by the
/// caller's static.
template <std::size_t count>
struct ScalableTable {
  ComputeKernel compute[count];
  IsaTable table;
  ScalableTable(const char* name, const ComputeKernel (&per_128_bits)[count], Kernels<StreamKernel> streams = {})
      : table{name, static_cast<int>(svcntb() * 8), compute, streams} {
    for (std::size_t i = 0; i < count; ++i) {
      compute[i] = per_128_bits[i];
      compute[i].operations *= static_cast<double>(svcntb()) / 16;
    }
  }
};

}  // namespace
}  // namespace gable::isa
