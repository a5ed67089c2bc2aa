// SSE2, the floor of x86-64: separate multiplication and addition, 16-byte streams.
#include <emmintrin.h>

#include "backends/openmp/isa/rows.hpp"
#include "backends/openmp/isa/streams.hpp"
#include "backends/openmp/isa/vector.hpp"

namespace gable::isa {
namespace {

struct Fp64 : Vector<double, 16> {
  static Reg fma(Reg a, Reg b, Reg c) { return a * b + c; }
  static Reg exclusive_or(Reg a, Reg b) { return _mm_xor_pd(a, b); }
};
using Fp32 = Vector<float, 16>;

struct NonTemporal : Fp64 {
  static void store(double* p, Reg x) { _mm_stream_pd(p, x); }
  static void fence() { _mm_sfence(); }
};

/// Zen starts two multiplications and two additions a cycle, three cycles each: 12 chains fill it.
template <class V>
constexpr ComputeKernel many(const char* instructions) {
  return clocked(mul_add_row<V, 14>("", instructions), mul_add_chains<V, chain_length, 1>);
}
template <class V>
constexpr ComputeKernel no_ilp(const char* instructions) {
  constexpr auto chain = mul_add_chains<V, chain_length, 1>;
  return clocked(row<V>("no_ilp", instructions, chain_length, 2, chain), chain);
}

constexpr ComputeKernel compute[] = {
    many<Fp64>("mulpd+addpd"),   no_ilp<Fp64>("mulpd+addpd"),         many<Fp32>("mulps+addps"),
    no_ilp<Fp32>("mulps+addps"), many<Scalar<double>>("mulsd+addsd"), many<Scalar<float>>("mulss+addss"),
    divide_row<Fp64>("divpd"),   divide_row<Fp32>("divps"),
};

constexpr IsaTable table{"sse2", 128, compute, stream_kernels<FixedLoops<Fp64>, FixedLoops<NonTemporal>>};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_sse2() { return &gable::isa::table; }
