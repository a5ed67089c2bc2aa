#include "tests/unit/tile/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "operators/device/tile/warp/attention_block.hpp"
#include "operators/device/tile/warp/group_attention_block.hpp"
#include "operators/device/tile/warp/product_block.hpp"

namespace gable::device::tile::test {

namespace {

template <class Block, class T, class Epilogue>
Outcome product_of(const ProductCase& size, const std::vector<T>& a, const std::vector<T>& b, double factor,
                   const Epilogue& epilogue, Index parts = 1) {
  using Stored = typename Block::Stored;
  const auto blocks = [](Index count, int each) { return (count + each - 1) / each; };
  const double unset = std::is_integral_v<T> ? 1e9 : std::nan("");
  std::vector<Stored> c(static_cast<std::size_t>(parts * size.batch * size.m * size.n), from_double<Stored>(unset));
  const int stages = std::clamp(size.stages, Block::least_stages, Block::most_stages);
  const Block block{size.m,
                    size.n,
                    size.k,
                    blocks(size.m, Block::rows),
                    blocks(size.n, Block::columns),
                    a.data(),
                    b.data(),
                    c.data(),
                    static_cast<typename Block::A>(factor),
                    epilogue,
                    stages,
                    blocks(blocks(size.k, Block::depth), static_cast<int>(parts)) * Block::depth};
  const auto bytes = static_cast<std::size_t>(stages * Block::stage_bytes);
  const std::unique_ptr<void, decltype(&std::free)> scratch(std::aligned_alloc(Block::Form::scratch_alignment, bytes),
                                                            &std::free);
  const Allowed memory[] = {allowed(a.data(), a.size()), allowed(b.data(), b.size())};
  Outcome outcome;
  for (Index i = 0; i < parts * size.batch * block.row_blocks * block.column_blocks; ++i) {
    const Report report =
        run_block(Block::lanes, Block::threads, {static_cast<std::byte*>(scratch.get()), bytes}, memory,
                  [&](int thread) { block(i, thread, static_cast<unsigned char*>(scratch.get())); });
    outcome.report.matrix_loads += report.matrix_loads;
    outcome.report.conflicts += report.conflicts;
    outcome.report.copies += report.copies;
    outcome.report.copy_conflicts += report.copy_conflicts;
  }
  outcome.values.resize(c.size());
  std::transform(c.begin(), c.end(), outcome.values.begin(), [](Stored x) { return static_cast<double>(widen(x)); });
  return outcome;
}

}  // namespace

template <class Machine, class T, bool TransposedB, bool TransposedA>
Outcome product(const ProductCase& size, const std::vector<T>& a, const std::vector<T>& b, double factor) {
  return product_of<warp::ProductBlock<Machine, T, TransposedB, TransposedA>>(size, a, b, factor, AsTheyAre{});
}
template <class Machine, class T>
Outcome product_with_bias(const ProductCase& size, const std::vector<T>& a, const std::vector<T>& b,
                          const std::vector<T>& bias) {
  const AddBias<T> epilogue{bias.data()};
  return product_of<warp::ProductBlock<Machine, T, false, false, AddBias<T>>>(size, a, b, 1, epilogue);
}
template <class Machine, class T, bool TransposedB, bool TransposedA>
Outcome sums_of_parts(const ProductCase& size, Index parts, const std::vector<T>& a, const std::vector<T>& b) {
  return product_of<warp::ProductBlock<Machine, T, TransposedB, TransposedA, AsSums>>(size, a, b, 1, AsSums{}, parts);
}

#define GABLE_PRODUCT_OF(Machine, T, b, a) \
  template Outcome product<Machine, T, b, a>(const ProductCase&, const std::vector<T>&, const std::vector<T>&, double);
#define GABLE_PRODUCT(T)                          \
  GABLE_PRODUCT_OF(EmulatedMma, T, false, false)  \
  GABLE_PRODUCT_OF(EmulatedMma, T, true, false)   \
  GABLE_PRODUCT_OF(EmulatedMma, T, false, true)   \
  GABLE_PRODUCT_OF(EmulatedMfma, T, false, false) \
  GABLE_PRODUCT_OF(EmulatedMfma, T, true, false)  \
  GABLE_PRODUCT_OF(EmulatedMfma, T, false, true)
GABLE_PRODUCT(double)
GABLE_PRODUCT(float)
GABLE_PRODUCT(Fp16)
GABLE_PRODUCT(Bf16)
GABLE_PRODUCT_OF(EmulatedMma, std::int8_t, true, false)
GABLE_PRODUCT_OF(EmulatedMfma, std::int8_t, true, false)
GABLE_PRODUCT_OF(EmulatedMfma950, Fp16, false, false)
GABLE_PRODUCT_OF(EmulatedMfma950, Fp16, true, false)
GABLE_PRODUCT_OF(EmulatedMfma950, Fp16, false, true)
GABLE_PRODUCT_OF(EmulatedMfma950, Bf16, false, false)
GABLE_PRODUCT_OF(EmulatedMfma950, Bf16, true, false)
GABLE_PRODUCT_OF(EmulatedMfma950, Bf16, false, true)
GABLE_PRODUCT_OF(EmulatedMfma950, std::int8_t, true, false)
GABLE_PRODUCT_OF(EmulatedWmma, Fp16, false, false)
GABLE_PRODUCT_OF(EmulatedWmma, Fp16, true, false)
GABLE_PRODUCT_OF(EmulatedWmma, Fp16, false, true)
GABLE_PRODUCT_OF(EmulatedWmma, Bf16, false, false)
GABLE_PRODUCT_OF(EmulatedWmma, Bf16, true, false)
GABLE_PRODUCT_OF(EmulatedWmma, Bf16, false, true)
GABLE_PRODUCT_OF(EmulatedWmma, std::int8_t, true, false)
GABLE_PRODUCT_OF(EmulatedWgmma, Fp16, false, false)
GABLE_PRODUCT_OF(EmulatedWgmma, Fp16, true, false)
GABLE_PRODUCT_OF(EmulatedWgmma, Fp16, false, true)
GABLE_PRODUCT_OF(EmulatedWgmma, Bf16, false, false)
GABLE_PRODUCT_OF(EmulatedWgmma, Bf16, true, false)
GABLE_PRODUCT_OF(EmulatedWgmma, Bf16, false, true)
GABLE_PRODUCT_OF(EmulatedWgmma, std::int8_t, true, false)
GABLE_PRODUCT_OF(EmulatedWgmma, Fp8E4m3, true, false)
#define GABLE_WITH_BIAS(Machine, T)                                                                                \
  template Outcome product_with_bias<Machine, T>(const ProductCase&, const std::vector<T>&, const std::vector<T>&, \
                                                 const std::vector<T>&);
GABLE_WITH_BIAS(EmulatedMma, double)
GABLE_WITH_BIAS(EmulatedMma, float)
GABLE_WITH_BIAS(EmulatedMma, Bf16)
GABLE_WITH_BIAS(EmulatedWgmma, Bf16)
GABLE_WITH_BIAS(EmulatedMfma, float)
GABLE_WITH_BIAS(EmulatedMfma, Bf16)
GABLE_WITH_BIAS(EmulatedWmma, Fp16)
#undef GABLE_WITH_BIAS
#define GABLE_PARTS(T, b, a)                                                                               \
  template Outcome sums_of_parts<EmulatedWgmma, T, b, a>(const ProductCase&, Index, const std::vector<T>&, \
                                                         const std::vector<T>&);
GABLE_PARTS(Bf16, false, false)
GABLE_PARTS(Bf16, true, false)
GABLE_PARTS(Bf16, false, true)
GABLE_PARTS(std::int8_t, true, false)
#undef GABLE_PARTS
#undef GABLE_PRODUCT
#undef GABLE_PRODUCT_OF

template <class Block, class T>
Outcome attention(const AttentionCase& size, const std::vector<T>& q, const std::vector<T>& k,
                  const std::vector<T>& v) {
  if (!Block::fits(size.d)) throw std::logic_error("the head is too wide for this kernel");
  const auto blocks = [](Index count, int each) { return (count + each - 1) / each; };
  std::vector<T> o(q.size(), narrow<T>(std::nan("")));
  const Block block{size.l,
                    size.d,
                    size.h / size.kv,
                    size.causal,
                    blocks(size.l, Block::rows),
                    blocks(size.d, Block::value_columns),
                    q.data(),
                    k.data(),
                    v.data(),
                    o.data(),
                    static_cast<Accumulate<T>>(std::log2(std::exp(1.0)) / std::sqrt(static_cast<double>(size.d)))};
  const std::unique_ptr<void, decltype(&std::free)> scratch(std::aligned_alloc(1024, Block::scratch_bytes), &std::free);
  const Allowed memory[] = {allowed(q.data(), q.size()), allowed(k.data(), k.size()), allowed(v.data(), v.size())};
  Outcome outcome;
  for (Index i = 0; i < size.h * block.row_blocks * block.column_blocks; ++i) {
    const Report report =
        run_block(Block::lanes, Block::threads, {static_cast<std::byte*>(scratch.get()), Block::scratch_bytes}, memory,
                  [&](int thread) { block(i, thread, static_cast<unsigned char*>(scratch.get())); });
    outcome.report.matrix_loads += report.matrix_loads;
    outcome.report.conflicts += report.conflicts;
  }
  outcome.values.resize(o.size());
  std::transform(o.begin(), o.end(), outcome.values.begin(), [](T x) { return static_cast<double>(widen(x)); });
  return outcome;
}

#define GABLE_ATTENTION_BY(T, ...)                                                                                  \
  template Outcome attention<warp::__VA_ARGS__>(const AttentionCase&, const std::vector<T>&, const std::vector<T>&, \
                                                const std::vector<T>&);
#define GABLE_ATTENTION_OF(Machine, T, columns, rows, keeps) \
  GABLE_ATTENTION_BY(T, AttentionBlock<Machine, T, columns, rows, keeps>)
#define GABLE_ATTENTION(T, columns, rows, keeps)           \
  GABLE_ATTENTION_OF(EmulatedMma, T, columns, rows, keeps) \
  GABLE_ATTENTION_OF(EmulatedMfma, T, columns, rows, keeps)
GABLE_ATTENTION(double, 64, 16, false)
GABLE_ATTENTION_OF(EmulatedMma, double, 32, 16, false)
GABLE_ATTENTION(float, 64, 16, true)
GABLE_ATTENTION(float, 64, 16, false)
GABLE_ATTENTION(Fp16, 64, 16, true)
GABLE_ATTENTION(Bf16, 64, 16, true)
GABLE_ATTENTION(Bf16, 128, 16, true)
GABLE_ATTENTION(Bf16, 128, 16, false)
GABLE_ATTENTION_OF(EmulatedMfma950, Fp16, 64, 16, true)
GABLE_ATTENTION_OF(EmulatedMfma950, Bf16, 128, 16, false)
GABLE_ATTENTION_BY(Fp16, GroupAttentionBlock<EmulatedWgmma, Fp16, 64>)
GABLE_ATTENTION_BY(Bf16, GroupAttentionBlock<EmulatedWgmma, Bf16, 128>)
#undef GABLE_ATTENTION
#undef GABLE_ATTENTION_OF
#undef GABLE_ATTENTION_BY

}  // namespace gable::device::tile::test
