// SVE with bf16 (Neoverse V1 and later): dot products and 2x2 matrix products into fp32.
#include "backends/openmp/isa/arm_sve.hpp"

namespace gable::isa {
namespace {

[[gnu::always_inline]] inline svbfloat16_t load_bf16(const char* p, std::uint16_t signs) {
  const auto bits = svld1_u16(svptrue_b16(), reinterpret_cast<const std::uint16_t*>(p));
  return svreinterpret_bf16_u16(sveor_n_u16_x(svptrue_b16(), bits, signs));
}

/// x += products of a and b, then of a and -b, so that sums stay bounded. The compiler does not know the instructions'
/// arithmetic: it can neither merge nor cancel the two.
template <class Product, std::size_t... I>
[[gnu::always_inline]] inline void product_chains(std::uint64_t iterations, const void* in, void* sink, Product product,
                                                  Indices<I...>) {
  const svbfloat16_t a = load_bf16(start_at(in, 0, svcntb()), 0);
  const svbfloat16_t plus = load_bf16(addend_at(in, 0, svcntb()), 0);
  const svbfloat16_t minus = load_bf16(addend_at(in, 0, svcntb()), 0x8000);
  alternating_chains<Fp32, 1>(
      iterations, sink, [&](svfloat32_t & x) __attribute__((always_inline)) { x = product(x, a, plus); },
      [&](svfloat32_t & x) __attribute__((always_inline)) { x = product(x, a, minus); },
      Fp32::load(start_at(in, I + 1, svcntb()))...);
}

}  // namespace

extern "C" {
void gable_sve_bf16_vector(std::uint64_t n, const void* in, void* sink) {
  product_chains(
      n, in, sink, [](svfloat32_t x, svbfloat16_t a, svbfloat16_t b) { return svbfdot_f32(x, a, b); }, UpTo<24>{});
}
void gable_sve_bf16_matrix(std::uint64_t n, const void* in, void* sink) {
  product_chains(
      n, in, sink, [](svfloat32_t x, svbfloat16_t a, svbfloat16_t b) { return svbfmmla_f32(x, a, b); }, UpTo<24>{});
}
}

namespace {

/// Operations per 128 bits of vector.
const ComputeKernel per_128_bits[] = {
    {.unit = "vector",
     .dtype = "bf16",
     .accumulate = "fp32",
     .instruction = "bfdot",
     .operations = 24 * 2 * 16,
     .instructions = 24 * 2,
     .symbol = "gable_sve_bf16_vector",
     .run = gable_sve_bf16_vector},
    {.unit = "matrix",
     .dtype = "bf16",
     .accumulate = "fp32",
     .instruction = "bfmmla",
     .operations = 24 * 2 * 32,
     .instructions = 24 * 2,
     .symbol = "gable_sve_bf16_matrix",
     .run = gable_sve_bf16_matrix},
};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_sve_bf16() {
  using namespace gable::isa;
  static const Scaled scaled(per_128_bits);
  static const IsaTable table{.name = "sve_bf16",
                              .vector_bits = static_cast<int>(svcntb() * 8),
                              .compute = scaled.compute,
                              .compute_count = sizeof(per_128_bits) / sizeof(*per_128_bits)};
  return &table;
}
