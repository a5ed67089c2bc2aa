#pragma once
#include "operators/device/rows.hpp"
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/gpu_rows.hpp"
#endif

namespace gable::device {

/// A row operator of two walks, for for_rows(): the first gathers sums over a row, the second writes
/// out[i] = body.result(operands, found), whose half-way cases may be rounded either way. The body gives
/// sums = begin<N>(i), elements = fetch(access, i, k, sums), gather(elements, sums), found = finish(i, sums, group) and
/// operands = fetch_operands(access, i, k); the two that fetch do nothing else. Its needs_registers is for for_rows().
/// A CPU thread writes two rows in the same loop in which it gathers the next two, so that memory sees reads and writes
/// side by side as in a copy (a walk that only reads, and then one that only writes, leave memory idle while the core
/// computes), and operands that every row shares come from the L2 cache once for two rows.
template <class T, class Body>
struct TwoWalks {
  static constexpr bool needs_registers = Body::needs_registers;
  T* out;
  Index columns;
  Body body;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
    auto sums = body.template begin<N>(i);
    for_row<N>(
        group,
        columns, [&](auto access, Index k) __attribute__((always_inline)) { return body.fetch(access, i, k, sums); },
        [&](auto, Index, const auto& elements, int) __attribute__((always_inline)) { body.gather(elements, sums); });
    const auto found = body.finish(i, sums, group);
    for_row<N>(
        group,
        columns, [&](auto access, Index k) __attribute__((always_inline)) { return body.fetch_operands(access, i, k); },
        [&](auto access, Index k, const auto& operands, int) __attribute__((always_inline)) {
          access.store_ties_unspecified(out + i * columns + k, body.result(operands, found));
        });
  }

  /// The rows from i on that make pairs, if they are of whole packs; returns the first that is left.
  GABLE_FUNCTION Index pairs(Index i, Index end) const {
    constexpr int N = pack_size<T>;
    if (columns % N != 0 || columns * Index{sizeof(T)} > longest_paired || i + 2 > end) return i;
    auto found = gathered<N>(i, [](auto, Index) {});
    for (; i + 4 <= end; i += 2) {
      found = gathered<N>(
          i + 2, [&](auto access, Index k) __attribute__((always_inline)) { write(access, i, k, found); });
    }
    for (Index k = 0; k < columns; k += N) write(AnyOrder<N>{}, i, k, found);
    return i + 2;
  }

#if defined(GABLE_ARRAY_LANES)
  /// A row in the registers of a GPU's thread block, which the body reads once (tile::HeldRow).
  template <class Row>
  GABLE_FUNCTION void held(Index i, Row& row) const {
    body.held(i, row, out + i * columns);
  }
#endif

 private:
  /// Bytes of a row of which two pairs, read and written, stay in an L2 cache.
  static constexpr Index longest_paired = 32 * 1024;

  template <class Found>
  struct Pair {
    Found first, second;
  };
  template <int N, class Also>
  GABLE_FUNCTION auto gathered(Index i, const Also& also) const {
    const AnyOrder<N> access;
    auto first = body.template begin<N>(i), second = body.template begin<N>(i + 1);
    for (Index k = 0; k < columns; k += N) {
      also(access, k);
      body.gather(body.fetch(access, i, k, first), first);
      body.gather(body.fetch(access, i + 1, k, second), second);
    }
    using Found = decltype(body.finish(i, first, OneThread{}));
    return Pair<Found>{body.finish(i, first, OneThread{}), body.finish(i + 1, second, OneThread{})};
  }
  template <class Access, class Found>
  GABLE_FUNCTION void write(Access access, Index i, Index k, const Pair<Found>& found) const {
    const auto first = body.result(body.fetch_operands(access, i, k), found.first);
    const auto second = body.result(body.fetch_operands(access, i + 1, k), found.second);
    access.store_ties_unspecified(out + i * columns + k, first);
    access.store_ties_unspecified(out + (i + 1) * columns + k, second);
  }
};

/// Base of kernels that are two such walks.
template <class T, class Body>
struct WalksKernel {
  Index rows;
  TwoWalks<T, Body> walks;
  void run(const Exec& exec) const {
#if defined(GABLE_ARRAY_LANES)
    if (tile::run_held_rows<T>("gable::rows", exec, rows, walks.columns, walks)) return;
#endif
    for_rows<T>(exec, rows, walks.columns, walks);
  }
};

}  // namespace gable::device
