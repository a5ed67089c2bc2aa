#include "operators/gather.hpp"

#include <cstdint>

#include "operators/device/operator_kit.hpp"

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

}  // namespace

const OperatorEntry& gather_entry() { return wide_entry<Gather, GatherKernel>(); }

}  // namespace gable::operators
