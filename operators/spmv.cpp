#include "operators/spmv.hpp"

#include <cstdint>

#include "operators/device/operator_kit.hpp"
#include "operators/device/sparse.hpp"
#if defined(GABLE_ARRAY_LANES)
#include "operators/device/tile/launch.hpp"
#endif

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

#if defined(GABLE_ARRAY_LANES)
/// GPU: some lanes of a warp take a row, each of which fetches two packs of 4 entries before it waits for one. Packs
/// are aligned, so that a row's first and last may hold its neighbours' entries.
template <class T>
struct CsrTeams {
  static constexpr int threads = 256, pack = 4, packs = 2;
  /// NVIDIA: 40 registers a thread, which are enough; threads are worth more.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<threads, 6>>;
  using Member = typename Policy::member_type;
  Csr<T> a;
  int lanes;  ///< of a row: a power of 2, at most 32

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const int thread = member.team_rank(), lane = thread % lanes;
    const Index wanted = Index{member.league_rank()} * (threads / lanes) + thread / lanes;
    const Index i = wanted < a.rows ? wanted : a.rows - 1;  // all lanes of a warp exchange
    T total = share(a.offset[i], a.offset[i + 1], lane);
    for (int mask = lanes / 2; mask > 0; mask /= 2) total += tile::Machine::exchange(total, mask);
    if (lane == 0 && wanted < a.rows) a.y[i] = total;
  }

 private:
  /// A lane's part of a row's product. Packs are read whole: up to three entries behind the last row's lie in the
  /// guard zone of the buffer.
  GABLE_FUNCTION T share(std::int32_t begin, std::int32_t end, int lane) const {
    const std::int32_t first = begin / pack * pack;
    const auto before = static_cast<std::uint32_t>(begin - first), behind = static_cast<std::uint32_t>(end - first);
    const T* const value = a.value + first;
    const std::int32_t* const column = a.column + first;
    const auto stride = static_cast<std::uint32_t>(pack * lanes);
    T total = 0;
    for (auto k = static_cast<std::uint32_t>(pack * lane); k < behind; k += packs * stride) {
      Pack<T, pack> values[packs];
      Pack<std::int32_t, pack> columns[packs];
      for (int p = 0; p < packs; ++p) {
        const std::uint32_t at = k + p * stride;
        const std::uint32_t within = at < behind ? at : (behind - 1) / pack * pack;  // a branch would wait
        values[p] = pack_at<pack>(value + within);
        columns[p] = pack_at<pack>(column + within);
      }
      for (int p = 0; p < packs; ++p) {
        for (int e = 0; e < pack; ++e) {
          const std::uint32_t at = k + p * stride + e;
          const bool mine = at >= before && at < behind;
          const T x = a.x[mine ? columns[p].element[e] : 0];
          total += mine ? values[p].element[e] * x : T(0);
        }
      }
    }
    return total;
  }
};
#endif

template <class T>
struct SpmvCsrKernel : UniformTypes<T> {
  Csr<T> a;
  int lanes;  ///< GPU: each has 6 entries of an average row or more

  SpmvCsrKernel(const SpmvCsr::Params& params, const Buffers& buffers)
      : a{buffers.input<T>(0), buffers.input<std::int32_t>(1), buffers.input<std::int32_t>(2),
          buffers.input<T>(3), buffers.output<T>(0),           0},
        lanes(1) {
    const auto shape = sparse::shape_of(params);
    a.rows = shape.rows;
    while (lanes < 32 && 12 * lanes * shape.rows <= shape.entries) lanes *= 2;
  }
  void run(const Exec& exec) const {
#if defined(GABLE_ARRAY_LANES)
    constexpr int threads = CsrTeams<T>::threads;
    const auto teams = static_cast<int>((a.rows * lanes + threads - 1) / threads);
    Kokkos::parallel_for("gable::spmv_csr", typename CsrTeams<T>::Policy(exec, teams, threads), CsrTeams<T>{a, lanes});
#else
    const Index parts = exec.concurrency();
    Kokkos::parallel_for("gable::spmv_csr", ThreadPolicy(exec, 0, parts), CsrRows<T>{a, parts});
#endif
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

/// A GPU thread takes a row, of which it fetches several entries before it waits for one: neighbouring threads read
/// neighbouring entries.
template <class T>
struct SellRows {
  static constexpr int at_once = 32 / sizeof(T);
  Sliced<T> a;

  KOKKOS_INLINE_FUNCTION void operator()(Index r) const {
    const std::int32_t begin = a.offset[r / slice_rows];
    const auto count = static_cast<std::uint32_t>(a.offset[r / slice_rows + 1] - begin);
    const T* const value = a.value + begin + r % slice_rows;
    const std::int32_t* const column = a.column + begin + r % slice_rows;
    T total = 0;
    for (std::uint32_t k = 0; k < count; k += at_once * slice_rows) {
      T values[at_once];
      std::int32_t columns[at_once];
      for (int i = 0; i < at_once; ++i) {
        const auto at = k + static_cast<std::uint32_t>(i * slice_rows);
        values[i] = at < count ? value[at] : T(0);
        columns[i] = at < count ? column[at] : -1;
      }
      for (int i = 0; i < at_once; ++i) values[i] = columns[i] >= 0 ? values[i] * a.x[columns[i]] : T(0);
      for (int i = 0; i < at_once; ++i) total += values[i];
    }
    if (a.order[r] >= 0) a.y[a.order[r]] = total;
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
