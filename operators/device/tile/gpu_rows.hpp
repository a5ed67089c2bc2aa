#pragma once
#include "operators/device/rows.hpp"
#include "operators/device/tile/launch.hpp"

namespace gable::device::tile {

/// One thread's part of a row of n elements that a thread block holds in registers: `packs` packs of 16 bytes, the
/// thread's first one and others at a distance of all threads. n is a multiple of a pack. A row's end may leave a
/// thread with fewer; one that it has not is the row's first pack there, which no sum holds and nothing stores.
template <class T, int block_threads, int most_packs>
class HeldRow {
 public:
  using A = Accumulate<T>;
  static constexpr int threads = block_threads, packs = most_packs, width = pack_size<T>, stride = threads * width;
  static constexpr Index longest = Index{packs} * stride;  ///< n
  static constexpr int lanes = Machine::Form::lanes, warps = threads / lanes;
  static constexpr int most_reductions = 2;
  static constexpr int scratch_bytes = most_reductions * warps * static_cast<int>(sizeof(A));

  GABLE_FUNCTION HeldRow(int thread, int n, unsigned char* scratch)
      : n_(n), thread_(thread), first_(thread * width), of_warps_(reinterpret_cast<A*>(scratch)) {}

  struct Fetched {
    Pack<T, width> pack[packs];
    /// As lanes_of(pack[p]), but leaves only the pack in registers and no copy of it.
    GABLE_FUNCTION LanesOf<T, width> lanes(int p) {
      wait_for(pack[p]);
      return widened(pack[p]);
    }
  };
  /// Begins to load a row.
  GABLE_FUNCTION Fetched fetch(const T* source) const {
    Fetched fetched;
#pragma unroll
    for (int p = 0; p < packs; ++p) fetched.pack[p] = pack_at<width>(source + (has(p) ? at(p) : 0));
    return fetched;
  }
  /// Pack p of a vector that all rows share, if the thread has one.
  GABLE_FUNCTION Pack<T, width> of_shared(const T* vector, int p) const {
    return load_constant(reinterpret_cast<const Pack<T, width>*>(vector + at(p)));
  }
  GABLE_FUNCTION bool has(int p) const { return at(p) < n_; }
  /// The first element of pack p.
  GABLE_FUNCTION int at(int p) const { return first_ + p * stride; }

  /// The sum of made(p), a lane each, over the packs of all threads.
  template <class Made>
  GABLE_FUNCTION A total(const Made& made) {
    A mine = 0;
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      const A part = sum(made(p));
      if (has(p)) mine += part;
    }
    return of_block(
        mine, [](A a, A b) __attribute__((always_inline)) { return a + b; });
  }
  /// The largest of all threads' values.
  GABLE_FUNCTION A maximum(A value) {
    return of_block(
        value, [](A a, A b) __attribute__((always_inline)) { return Kokkos::fmax(a, b); });
  }
  /// target[i] = made(p) for the packs that there are.
  template <class Made>
  GABLE_FUNCTION void store(T* target, const Made& made) const {
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      if (has(p)) device::store<width>(target + at(p), made(p));
    }
  }

 private:
  /// Each has scratch of its own, so that none waits for the end of another.
  template <class Join>
  GABLE_FUNCTION A of_block(A value, const Join& join) {
    for (int mask = lanes / 2; mask > 0; mask /= 2) value = join(value, Machine::exchange(value, mask));
    if constexpr (warps == 1) return value;
    if (Machine::lane() == 0) of_warps_[thread_ / lanes] = value;
    Machine::barrier();
    value = of_warps_[0];
    for (int warp = 1; warp < warps; ++warp) value = join(value, of_warps_[warp]);
    of_warps_ += warps;
    return value;
  }

  int n_, thread_, first_;
  A* of_warps_;
};

/// body.held(i, row) by a block for each row i.
template <class T, int block_threads, int packs, class Body>
struct HeldRows {
  using Form = Machine::Form;
  using Row = HeldRow<T, block_threads, packs>;
  static constexpr int threads = block_threads, warps = Row::warps;
  /// Eight packs, and four of fp64, take up to 128.
  static constexpr bool needs_registers = team_registers < 128 && (packs > steps_at_once || sizeof(T) == 8);
  static constexpr int blocks_at_once = TeamBounds<threads, needs_registers>::minBperSM;
  int n;
  Body body;

  /// `thread` of the block of row i.
  GABLE_FUNCTION void operator()(Index i, int thread, unsigned char* scratch) const {
    Row row(thread, n, scratch);
    body.held(i, row);
  }
};

/// Enqueues body.held(i, row) for m rows of n elements where a block holds a row; else does nothing and returns false.
/// As few threads as hold it: each then has four loads under way.
template <class T, class Body>
bool run_held_rows(const char* name, const Exec& exec, Index m, Index n, const Body& body) {
  if (n % pack_size<T> != 0) return false;
  const auto launch_if_it_fits = [&]<int threads, int packs>() {
    using Rows = HeldRows<T, threads, packs, Body>;
    if (n > Rows::Row::longest) return false;
    launch(name, exec, m, Rows{static_cast<int>(n), body}, Rows::Row::scratch_bytes);
    return true;
  };
  return launch_if_it_fits.template operator()<64, 4>() || launch_if_it_fits.template operator()<128, 4>() ||
         launch_if_it_fits.template operator()<256, 4>() || launch_if_it_fits.template operator()<256, 8>();
}

}  // namespace gable::device::tile
