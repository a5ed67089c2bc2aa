// SSE2, the floor of x86-64: separate multiplication and addition, 16-byte streams.
#include <emmintrin.h>

#include "backends/openmp/isa/streams.hpp"

namespace gable::isa {
namespace {

struct Fp64 {
  using Reg = __m128d;
  static constexpr std::size_t bytes() { return 16; }
  static Reg load(const void* p) { return _mm_load_pd(static_cast<const double*>(p)); }
  static Reg set(double x) { return _mm_set1_pd(x); }
  static Reg zero() { return _mm_setzero_pd(); }
  static Reg add(Reg a, Reg b) { return _mm_add_pd(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm_mul_pd(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm_add_pd(_mm_mul_pd(a, b), c); }
  static Reg exclusive_or(Reg a, Reg b) { return _mm_xor_pd(a, b); }
  static void store(void* p, Reg x) { _mm_storeu_pd(static_cast<double*>(p), x); }
};

struct Fp32 {
  using Reg = __m128;
  static constexpr std::size_t bytes() { return 16; }
  static Reg load(const void* p) { return _mm_load_ps(static_cast<const float*>(p)); }
  static Reg add(Reg a, Reg b) { return _mm_add_ps(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm_mul_ps(a, b); }
  static void store(void* p, Reg x) { _mm_storeu_ps(static_cast<float*>(p), x); }
};

template <class T>
struct Scalar {
  using Reg = T;
  static constexpr std::size_t bytes() { return sizeof(T); }
  static Reg load(const void* p) { return *static_cast<const T*>(p); }
  static Reg add(Reg a, Reg b) { return a + b; }
  static Reg mul(Reg a, Reg b) { return a * b; }
  static void store(void* p, Reg x) { *static_cast<T*>(p) = x; }
};

/// Zen starts two multiplications and two additions a cycle, three cycles each: 12 chains fill it.
using Many = UpTo<14>;

}  // namespace

extern "C" {
void gable_sse2_fp64_vector(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp64, 2>(n, in, sink, Many{});
}
void gable_sse2_fp64_vector_chain(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp64, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_sse2_fp32_vector(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp32, 2>(n, in, sink, Many{});
}
void gable_sse2_fp32_vector_chain(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Fp32, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_sse2_fp64_scalar(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Scalar<double>, 2>(n, in, sink, Many{});
}
void gable_sse2_fp64_scalar_chain(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Scalar<double>, chain_length>(n, in, sink, UpTo<1>{});
}
void gable_sse2_fp32_scalar(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Scalar<float>, 2>(n, in, sink, Many{});
}
void gable_sse2_fp32_scalar_chain(std::uint64_t n, const void* in, void* sink) {
  mul_add_chains<Scalar<float>, chain_length>(n, in, sink, UpTo<1>{});
}

void gable_sse2_read(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void* sink) {
  read_stream<Fp64>(a, n, passes, sink);
}
void gable_sse2_write(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  write_stream<Fp64>(a, n, passes, [](double* p, __m128d x) { _mm_store_pd(p, x); });
}
void gable_sse2_copy(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  copy_stream<Fp64>(a, b, n, passes, [](double* p, __m128d x) { _mm_store_pd(p, x); });
}
void gable_sse2_update(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  update_stream<Fp64>(a, n, passes, [](double* p, __m128d x) { _mm_store_pd(p, x); });
}
void gable_sse2_triad(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  triad_stream<Fp64>(a, b, c, n, passes, [](double* p, __m128d x) { _mm_store_pd(p, x); });
}
void gable_sse2_write_nt(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  write_stream<Fp64>(a, n, passes, [](double* p, __m128d x) { _mm_stream_pd(p, x); });
  _mm_sfence();
}
void gable_sse2_copy_nt(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  copy_stream<Fp64>(a, b, n, passes, [](double* p, __m128d x) { _mm_stream_pd(p, x); });
  _mm_sfence();
}
void gable_sse2_triad_nt(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  triad_stream<Fp64>(a, b, c, n, passes, [](double* p, __m128d x) { _mm_stream_pd(p, x); });
  _mm_sfence();
}
}

namespace {

const ComputeKernel compute[] = {
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "mulpd+addpd",
     .operations = 14 * 2 * 4,
     .instructions = 14 * 2 * 2,
     .symbol = "gable_sse2_fp64_vector",
     .run = gable_sse2_fp64_vector,
     .chain = gable_sse2_fp64_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp64",
     .accumulate = "fp64",
     .variant = "no_ilp",
     .instruction = "mulpd+addpd",
     .operations = chain_length * 4,
     .instructions = chain_length * 2,
     .symbol = "gable_sse2_fp64_vector_chain",
     .run = gable_sse2_fp64_vector_chain,
     .chain = gable_sse2_fp64_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "mulps+addps",
     .operations = 14 * 2 * 8,
     .instructions = 14 * 2 * 2,
     .symbol = "gable_sse2_fp32_vector",
     .run = gable_sse2_fp32_vector,
     .chain = gable_sse2_fp32_vector_chain,
     .chain_length = chain_length},
    {.unit = "vector",
     .dtype = "fp32",
     .accumulate = "fp32",
     .variant = "no_ilp",
     .instruction = "mulps+addps",
     .operations = chain_length * 8,
     .instructions = chain_length * 2,
     .symbol = "gable_sse2_fp32_vector_chain",
     .run = gable_sse2_fp32_vector_chain,
     .chain = gable_sse2_fp32_vector_chain,
     .chain_length = chain_length},
    {.unit = "scalar",
     .dtype = "fp64",
     .accumulate = "fp64",
     .instruction = "mulsd+addsd",
     .operations = 14 * 2 * 2,
     .instructions = 14 * 2 * 2,
     .symbol = "gable_sse2_fp64_scalar",
     .run = gable_sse2_fp64_scalar,
     .chain = gable_sse2_fp64_scalar_chain,
     .chain_length = chain_length},
    {.unit = "scalar",
     .dtype = "fp32",
     .accumulate = "fp32",
     .instruction = "mulss+addss",
     .operations = 14 * 2 * 2,
     .instructions = 14 * 2 * 2,
     .symbol = "gable_sse2_fp32_scalar",
     .run = gable_sse2_fp32_scalar,
     .chain = gable_sse2_fp32_scalar_chain,
     .chain_length = chain_length},
};

const StreamKernel stream[] = {
    {.access = "read", .stores = "none", .symbol = "gable_sse2_read", .run = gable_sse2_read},
    {.access = "write", .stores = "ordinary", .symbol = "gable_sse2_write", .run = gable_sse2_write},
    {.access = "copy", .stores = "ordinary", .symbol = "gable_sse2_copy", .run = gable_sse2_copy},
    {.access = "update", .stores = "ordinary", .symbol = "gable_sse2_update", .run = gable_sse2_update},
    {.access = "triad", .stores = "ordinary", .symbol = "gable_sse2_triad", .run = gable_sse2_triad},
    {.access = "write", .stores = "non_temporal", .symbol = "gable_sse2_write_nt", .run = gable_sse2_write_nt},
    {.access = "copy", .stores = "non_temporal", .symbol = "gable_sse2_copy_nt", .run = gable_sse2_copy_nt},
    {.access = "triad", .stores = "non_temporal", .symbol = "gable_sse2_triad_nt", .run = gable_sse2_triad_nt},
};

const IsaTable table{.name = "sse2",
                     .vector_bits = 128,
                     .compute = compute,
                     .compute_count = sizeof(compute) / sizeof(*compute),
                     .stream = stream,
                     .stream_count = sizeof(stream) / sizeof(*stream)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_sse2() { return &gable::isa::table; }
