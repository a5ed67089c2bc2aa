#pragma once
#include "operators/device/rows.hpp"
#include "operators/device/tile/launch.hpp"

namespace gable::device::tile {

/// Softmax of rows that a thread block holds in registers, `packs` packs of 16 bytes a thread: an element is read once
/// and has one exponential. n is a multiple of a pack.
template <class T, int block_threads, int packs>
struct SoftmaxBlock {
  using A = Accumulate<T>;
  using Form = Machine::Form;
  static constexpr int threads = block_threads, lanes = Form::lanes, warps = threads / lanes;
  static constexpr int blocks_at_once = TeamBounds<threads, (packs > steps_at_once || sizeof(T) == 8)>::minBperSM;
  static constexpr int width = pack_size<T>, stride = threads * width;
  static constexpr Index longest = Index{packs} * stride;  ///< n
  static constexpr int scratch_bytes = 2 * warps * static_cast<int>(sizeof(A));
  const T* x;
  T* y;
  int n;

  /// `thread` of the block of row `row`.
  GABLE_FUNCTION void operator()(Index row, int thread, unsigned char* scratch) const {
    A* const of_warps = reinterpret_cast<A*>(scratch);
    const int first = thread * width;
    const T* const source = x + row * n;
    T* const target = y + row * n;
    Pack<T, width> fetched[packs];
#pragma unroll
    for (int p = 0; p < packs; ++p) fetched[p] = pack_at<width>(source + (has(first, p) ? first + p * stride : 0));
    LanesOf<T> kept[packs];
    A best = -Kokkos::Experimental::finite_max_v<A>;
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      kept[p] = lanes_of(fetched[p]);
#pragma unroll
      for (int i = 0; i < width; ++i) best = larger(best, kept[p][i]);
    }
    best = of_block(best, thread, of_warps, larger);
    // Not 2^(x log2(e) - best log2(e)): for a large best the rounding of that product alone is beyond any exponent.
    constexpr A log2_e = A(1.4426950408889634074);
    A total = 0;
#pragma unroll
    for (int p = 0; p < packs; ++p) {
#pragma unroll
      for (int i = 0; i < width; ++i) kept[p].set(i, Machine::exp2((kept[p][i] - best) * log2_e));
      const A part = sum(kept[p]);
      if (has(first, p)) total += part;
    }
    const LanesOf<T> factor = A(1) / of_block(total, thread, of_warps + warps, plus);
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      if (has(first, p)) store<width>(target + first + p * stride, kept[p] * factor);
    }
  }

 private:
  /// Whether the row has a pack p of the thread; one without it has the row's first pack there, which it leaves out of
  /// the sum.
  GABLE_FUNCTION bool has(int first, int p) const { return first + p * stride < n; }
  GABLE_FUNCTION static A larger(A a, A b) { return Kokkos::fmax(a, b); }
  GABLE_FUNCTION static A plus(A a, A b) { return a + b; }
  /// The values of all threads, joined; of_warps: [warps], in scratch.
  template <class Join>
  GABLE_FUNCTION static A of_block(A value, int thread, A* of_warps, const Join& join) {
    for (int mask = lanes / 2; mask > 0; mask /= 2) value = join(value, Machine::exchange(value, mask));
    if constexpr (warps == 1) return value;
    if (Machine::lane() == 0) of_warps[thread / lanes] = value;
    Machine::barrier();
    value = of_warps[0];
    for (int warp = 1; warp < warps; ++warp) value = join(value, of_warps[warp]);
    return value;
  }
};

/// Enqueues y = softmax(x) of m rows of n elements where a block holds a row; else does nothing and returns false. As
/// few threads as hold it: each then has four loads under way.
template <class T>
bool softmax_in_registers(const Exec& exec, Index m, Index n, const T* x, T* y) {
  if (n % pack_size<T> != 0) return false;
  const auto launch_if_it_fits = [&]<int threads, int packs>() {
    using Block = SoftmaxBlock<T, threads, packs>;
    if (n > Block::longest) return false;
    launch("gable::softmax", exec, m, Block{x, y, static_cast<int>(n)}, Block::scratch_bytes);
    return true;
  };
  return launch_if_it_fits.template operator()<64, 4>() || launch_if_it_fits.template operator()<128, 4>() ||
         launch_if_it_fits.template operator()<256, 4>() || launch_if_it_fits.template operator()<256, 8>();
}

}  // namespace gable::device::tile
