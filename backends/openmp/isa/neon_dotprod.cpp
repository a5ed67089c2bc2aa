// NEON with dot products (Armv8.2 DotProd): int8 into int32.
#include "backends/openmp/isa/arm_neon.hpp"

namespace gable::isa {
namespace {

struct Int32 {
  using Reg = int32x4_t;
  static Reg load(const void* p) { return vld1q_s32(static_cast<const std::int32_t*>(p)); }
  static Reg add(Reg a, Reg b) { return vaddq_s32(a, b); }
  static void store(void* p, Reg x) { vst1q_s32(static_cast<std::int32_t*>(p), x); }
};

/// x += four products per lane; sums wrap around. The compiler does not know the instruction's arithmetic.
template <std::size_t... I>
[[gnu::always_inline]] inline void dot_chains(std::uint64_t iterations, const void* in, void* sink, Indices<I...>) {
  const auto* bytes = static_cast<const std::int8_t*>(in);
  const int8x16_t a0 = vld1q_s8(bytes), b0 = vld1q_s8(bytes + 16);
  const int8x16_t a1 = vld1q_s8(bytes + 32), b1 = vld1q_s8(bytes + 48);
  bool odd = false;
  chains<Int32, 2>(
      iterations, sink,
      [&](int32x4_t & x) __attribute__((always_inline)) {
        x = odd ? vdotq_s32(x, a1, b1) : vdotq_s32(x, a0, b0);
        odd = !odd;
      },
      Int32::load(start_at(in, I, 16))...);
}

}  // namespace

extern "C" void gable_neon_int8_vector(std::uint64_t n, const void* in, void* sink) {
  dot_chains(n, in, sink, UpTo<20>{});
}

namespace {

const ComputeKernel compute[] = {
    {.unit = "vector",
     .dtype = "int8",
     .accumulate = "int32",
     .instruction = "sdot",
     .operations = 20 * 2 * 32,
     .instructions = 20 * 2,
     .symbol = "gable_neon_int8_vector",
     .run = gable_neon_int8_vector},
};

const IsaTable table{.name = "neon_dotprod",
                     .vector_bits = 128,
                     .compute = compute,
                     .compute_count = sizeof(compute) / sizeof(*compute)};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_neon_dotprod() { return &gable::isa::table; }
