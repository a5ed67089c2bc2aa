#include "operators/gather.hpp"

#include <cstdint>

#include "operators/device/operator_kit.hpp"
#include "operators/device/pack.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// A CPU thread takes a contiguous chunk, a GPU thread one element. The loads do not depend on one another: a core has
/// as many of them under way as its window of instructions holds, which is more without a loop's own. An H200's memory,
/// not its threads, bounds random sectors: four or eight elements a thread take as long as one.
template <class T>
struct GatherBody {
  const T* x;
  const std::int32_t* index;
  T* y;
  Index n, parts;

  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    if constexpr (on_host) {
      const Chunk chunk = chunk_of(n, part, parts, chunk_grain);
      const T* const table = x;
      const std::int32_t* const from = index;
      T* const to = y;
#pragma GCC unroll 8
      for (Index i = chunk.begin; i < chunk.end; ++i) to[i] = table[from[i]];
    } else {
      y[part] = x[index[part]];
    }
  }
};

template <class T>
struct GatherKernel : UniformTypes<T> {
  GatherBody<T> body;

  GatherKernel(const Gather::Params& p, const Buffers& buffers)
      : body{buffers.input<T>(0), buffers.input<std::int32_t>(1), buffers.output<T>(0), p.n,
             on_host ? Exec().concurrency() : p.n} {}
  void run(const Exec& exec) const { Kokkos::parallel_for("gable::gather", ThreadPolicy(exec, 0, body.parts), body); }
};

template <class T>
struct EmbeddingBody {
  const T* table;
  const std::int32_t* id;
  T* y;
  Index tokens, d;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index token, const Group& group, Index) const {
    const T* source = table + id[token] * d;
    T* target = y + token * d;
    if constexpr (on_host) {
      ask_for(table + id[token + 1 < tokens ? token + 1 : token] * d);
      Index k = 0;
      for (; k + N <= d; k += N) copy<N>(source + k, target + k);
      for (; k < d; ++k) target[k] = source[k];
    } else {
      for_row_in_halves<N>(
          group, d, [&](auto, Index k) __attribute__((always_inline)) { return pack_at<N>(source + k); },
          [&](auto, Index k, const Pack<T, N>& pack) __attribute__((always_inline)) { put_pack<N>(target + k, pack); });
    }
  }

 private:
  /// A row's first lines, which the hardware cannot foresee; it continues from them. More of them leave a core fewer
  /// requests for the row in hand.
  static GABLE_FUNCTION void ask_for(const T* row) {
    constexpr int line = 64 / sizeof(T);
    for (int k = 0; k < 8 * line; k += line) prefetch_read(row + k);
  }
};

template <class T>
struct EmbeddingKernel : UniformTypes<T>, RowKernel<T, EmbeddingBody<T>> {
  EmbeddingKernel(const Embedding::Params& p, const Buffers& buffers)
      : RowKernel<T, EmbeddingBody<T>>{
            p.tokens,
            p.d,
            {buffers.input<T>(0), buffers.input<std::int32_t>(1), buffers.output<T>(0), p.tokens, p.d}} {}
};

}  // namespace

const OperatorEntry& gather_entry() { return wide_entry<Gather, GatherKernel>(); }
const OperatorEntry& embedding_entry() { return floating_entry<Embedding, EmbeddingKernel>(); }

}  // namespace gable::operators
