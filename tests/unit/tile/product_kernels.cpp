#include <algorithm>
#include <cstdlib>
#include <memory>

#include "operators/device/tile/warp/product_block.hpp"
#include "tests/unit/tile/kernels.hpp"

namespace gable::device::tile::test {

template <class Machine, class T, bool TransposedB, bool TransposedA>
Outcome product(const ProductCase& size, const std::vector<T>& a, const std::vector<T>& b, double factor) {
  using Block = warp::ProductBlock<Machine, T, TransposedB, TransposedA>;
  const auto blocks = [](Index count, int each) { return (count + each - 1) / each; };
  const double unset = std::is_integral_v<T> ? 1e9 : std::nan("");
  std::vector<Result<T>> c(static_cast<std::size_t>(size.batch * size.m * size.n), from_double<Result<T>>(unset));
  const Block block{size.m,     size.n,   size.k,   blocks(size.m, Block::rows),        blocks(size.n, Block::columns),
                    a.data(),   b.data(), c.data(), static_cast<Accumulate<T>>(factor), {},
                    size.stages};
  const auto bytes = static_cast<std::size_t>(size.stages * Block::stage_bytes);
  const std::unique_ptr<void, decltype(&std::free)> scratch(std::aligned_alloc(128, bytes), &std::free);
  const Allowed memory[] = {allowed(a.data(), a.size()), allowed(b.data(), b.size())};
  Outcome outcome;
  for (Index i = 0; i < size.batch * block.row_blocks * block.column_blocks; ++i) {
    const Report report =
        run_block(Block::lanes, Block::threads, {static_cast<std::byte*>(scratch.get()), bytes}, memory,
                  [&](int thread) { block(i, thread, static_cast<unsigned char*>(scratch.get())); });
    outcome.report.matrix_loads += report.matrix_loads;
    outcome.report.conflicts += report.conflicts;
  }
  outcome.values.resize(c.size());
  std::transform(c.begin(), c.end(), outcome.values.begin(), [](Result<T> x) { return static_cast<double>(widen(x)); });
  return outcome;
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
#undef GABLE_PRODUCT
#undef GABLE_PRODUCT_OF

}  // namespace gable::device::tile::test
