#include "operators/spmv.hpp"

#include <cstdint>

#include "operators/device/operator_kit.hpp"
#include "operators/device/sparse.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct Csr {
  const T* value;
  const std::int32_t* column;
  const std::int32_t* offset;
  const T* x;
  T* y;
  Index rows;
};

/// A CPU thread takes rows with its share of the entries, a register of entries at once.
template <class T>
struct CsrRows {
  Csr<T> a;
  Index parts;

  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Csr<T> local = a;
    const Index end = balanced_begin(local.offset, local.rows, part + 1, parts);
    for (Index i = balanced_begin(local.offset, local.rows, part, parts); i < end; ++i) {
      local.y[i] = product(local, local.offset[i], local.offset[i + 1]);
    }
  }

 private:
  static GABLE_FUNCTION T product(const Csr<T>& local, Index begin, Index end) {
    T total = 0;
    Index k = begin;
#if !defined(GABLE_ARRAY_LANES)
    constexpr int width = register_bytes / static_cast<int>(sizeof(T));
    if (k + width <= end) {
      Lanes<T, width> even = T(0), odd = T(0);
      for (; k + 2 * width <= end; k += 2 * width) {
        even += load<width>(local.value + k) * gathered<T, width>(local.x, local.column + k);
        odd += load<width>(local.value + k + width) * gathered<T, width>(local.x, local.column + k + width);
      }
      if (k + width <= end) {
        even += load<width>(local.value + k) * gathered<T, width>(local.x, local.column + k);
        k += width;
      }
      total = sum(even + odd);
    }
#endif
    for (; k < end; ++k) total += local.value[k] * local.x[local.column[k]];
    return total;
  }
};

/// GPU: a row to the lanes of a Kokkos vector, about as many as it has entries.
template <class T>
struct CsrTeams {
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Member = typename Policy::member_type;
  static constexpr int threads = 256;
  Csr<T> a;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const Index i = Index{member.league_rank()} * member.team_size() + member.team_rank();
    if (i >= a.rows) return;
    T total = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, a.offset[i], a.offset[i + 1]),
        [&](std::int32_t k, T& mine) { mine += a.value[k] * a.x[a.column[k]]; }, total);
    Kokkos::single(Kokkos::PerThread(member), [&]() { a.y[i] = total; });
  }
};

template <class T>
struct SpmvCsrKernel : UniformTypes<T> {
  Csr<T> a;
  int lanes;  ///< GPU: a power of 2, at most a warp

  SpmvCsrKernel(const SpmvCsr::Params& params, const Buffers& buffers)
      : a{buffers.input<T>(0), buffers.input<std::int32_t>(1), buffers.input<std::int32_t>(2),
          buffers.input<T>(3), buffers.output<T>(0),           0},
        lanes(1) {
    const auto shape = sparse::shape_of(params);
    a.rows = shape.rows;
    while (lanes < 32 && 2 * lanes * shape.rows <= shape.entries) lanes *= 2;
  }
  void run(const Exec& exec) const {
    if constexpr (on_host) {
      const Index parts = exec.concurrency();
      Kokkos::parallel_for("gable::spmv_csr", ThreadPolicy(exec, 0, parts), CsrRows<T>{a, parts});
    } else {
      const int rows = CsrTeams<T>::threads / lanes;
      const auto teams = static_cast<int>((a.rows + rows - 1) / rows);
      Kokkos::parallel_for("gable::spmv_csr", typename CsrTeams<T>::Policy(exec, teams, rows, lanes), CsrTeams<T>{a});
    }
  }
};

inline constexpr Index slice_rows = sparse::slice_rows;

template <class T>
struct Sliced {
  const T* value;
  const std::int32_t* column;
  const std::int32_t* offset;
  const std::int32_t* order;
  const T* x;
  T* y;
  Index slices;
};

/// A CPU thread takes slices with its share of the entries; the rows of a slice lie side by side in registers.
template <class T>
struct SellSlices {
  Sliced<T> a;
  Index parts;

  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    const Sliced<T> local = a;
    const Index end = balanced_begin(local.offset, local.slices, part + 1, parts);
    for (Index s = balanced_begin(local.offset, local.slices, part, parts); s < end; ++s) slice(local, s);
  }

 private:
  static GABLE_FUNCTION void slice(const Sliced<T>& local, Index s) {
    const std::int32_t* const order = local.order + s * slice_rows;
#if !defined(GABLE_ARRAY_LANES)
    constexpr int width = register_bytes / static_cast<int>(sizeof(T));
    constexpr int parts = slice_rows / width;
    Lanes<T, width> total[parts];
    for (auto& lanes : total) lanes = T(0);
    for (Index k = local.offset[s]; k < local.offset[s + 1]; k += slice_rows) {
#pragma GCC unroll 16
      for (int p = 0; p < parts; ++p) {
        const std::int32_t* const column = local.column + k + p * width;
        if (__builtin_expect(isa::Integers<width>::any_negative(column), 0)) {  // padding
          for (int i = 0; i < width; ++i) {
            const T product = column[i] >= 0 ? local.value[k + p * width + i] * local.x[column[i]] : T(0);
            total[p].set(i, total[p][i] + product);
          }
        } else {
          total[p] += load<width>(local.value + k + p * width) * gathered<T, width>(local.x, column);
        }
      }
    }
    for (int r = 0; r < slice_rows; ++r) {
      if (order[r] >= 0) local.y[order[r]] = total[r / width][r % width];
    }
#else
    (void)order;
#endif
  }
};

/// A GPU thread takes a row: neighbouring threads read neighbouring entries.
template <class T>
struct SellRows {
  Sliced<T> a;

  KOKKOS_INLINE_FUNCTION void operator()(Index r) const {
    const std::int32_t row = a.order[r];
    if (row < 0) return;
    const Index slice = r / slice_rows;
    T total = 0;
    for (Index k = a.offset[slice] + r % slice_rows; k < a.offset[slice + 1]; k += slice_rows) {
      const std::int32_t column = a.column[k];
      if (column < 0) break;
      total += a.value[k] * a.x[column];
    }
    a.y[row] = total;
  }
};

template <class T>
struct SpmvSellKernel : UniformTypes<T> {
  Sliced<T> a;

  SpmvSellKernel(const SpmvSell::Params& params, const Buffers& buffers)
      : a{buffers.input<T>(0),
          buffers.input<std::int32_t>(1),
          buffers.input<std::int32_t>(2),
          buffers.input<std::int32_t>(3),
          buffers.input<T>(4),
          buffers.output<T>(0),
          (sparse::shape_of(params).rows + slice_rows - 1) / slice_rows} {}
  void run(const Exec& exec) const {
    if constexpr (on_host) {
      const Index parts = exec.concurrency();
      Kokkos::parallel_for("gable::spmv_sell", ThreadPolicy(exec, 0, parts), SellSlices<T>{a, parts});
    } else {
      Kokkos::parallel_for("gable::spmv_sell", ThreadPolicy(exec, 0, a.slices * slice_rows), SellRows<T>{a});
    }
  }
};

}  // namespace

const OperatorEntry& spmv_csr_entry() { return wide_entry<SpmvCsr, SpmvCsrKernel>(); }
const OperatorEntry& spmv_sell_entry() { return wide_entry<SpmvSell, SpmvSellKernel>(); }

}  // namespace gable::operators
