#include "operators/spmv_sell.hpp"

#include <cstdint>

#include "operators/device/operator_kit.hpp"
#include "operators/device/sparse.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;
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

const OperatorEntry& spmv_sell_entry() {
  static const OperatorEntry entry{&spec_of<SpmvSell>(), {wide_implementation<SpmvSell, SpmvSellKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
