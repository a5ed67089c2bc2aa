// SVE with int8 matrix products (Neoverse V1 and later) into int32.
#include "backends/openmp/isa/arm_sve.hpp"

namespace gable::isa {
namespace {

/// x += the 2x2 product of 2x8 blocks a and b; sums wrap around. The compiler does not know the instruction's
/// arithmetic.
template <std::size_t... I>
[[gnu::always_inline]] inline void product_chains(std::uint64_t iterations, const void* in, void* sink, Indices<I...>) {
  const auto load = [in](std::size_t i) {
    return svld1_s8(svptrue_b8(), reinterpret_cast<const std::int8_t*>(addend_at(in, i, svcntb())));
  };
  const svint8_t a0 = load(0), b0 = load(1), a1 = load(2), b1 = load(3);
  bool odd = false;
  chains<Int32, 2>(
      iterations, sink,
      [&](svint32_t & x) __attribute__((always_inline)) {
        x = odd ? svmmla_s32(x, a1, b1) : svmmla_s32(x, a0, b0);
        odd = !odd;
      },
      Int32::load(start_at(in, I, svcntb()))...);
}

}  // namespace

extern "C" void gable_sve_int8_matrix(std::uint64_t n, const void* in, void* sink) {
  product_chains(n, in, sink, UpTo<24>{});
}

namespace {

/// Operations per 128 bits of vector.
const ComputeKernel per_128_bits[] = {
    {.unit = "matrix",
     .dtype = "int8",
     .accumulate = "int32",
     .instruction = "smmla",
     .operations = 24 * 2 * 64,
     .instructions = 24 * 2,
     .symbol = "gable_sve_int8_matrix",
     .run = gable_sve_int8_matrix},
};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_sve_i8mm() {
  using namespace gable::isa;
  static const Scaled scaled(per_128_bits);
  static const IsaTable table{.name = "sve_i8mm",
                              .vector_bits = static_cast<int>(svcntb() * 8),
                              .compute = scaled.compute,
                              .compute_count = sizeof(per_128_bits) / sizeof(*per_128_bits)};
  return &table;
}
