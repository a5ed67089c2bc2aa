#include "operators/spmv_csr.hpp"

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

}  // namespace

const OperatorEntry& spmv_csr_entry() {
  static const OperatorEntry entry{&spec_of<SpmvCsr>(), {wide_implementation<SpmvCsr, SpmvCsrKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
