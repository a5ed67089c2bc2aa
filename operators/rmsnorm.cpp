#include "operators/rmsnorm.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Two walks over a row: its mean square, then the result. The first asks for the lines of the result, the second for
/// the next row.
template <class T>
struct RmsnormBody {
  using A = Accumulate<T>;
  const T* x;
  const T* gamma;
  T* y;
  Index n;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
    const T* source = x + i * n;
    T* target = y + i * n;
    LanesOf<T, N> squares[slots];
    for (int s = 0; s < slots; ++s) squares[s] = A(0);
    for_row<N>(
        group, n, [&](auto access, Index k, int s) __attribute__((always_inline)) {
          prefetch_write(target + k);
          const auto value = access.load(source + k);
          squares[s] += value * value;
        });
    for (int s = 1; s < slots; ++s) squares[0] += squares[s];
    const A mean = group.sum(sum(squares[0])) / static_cast<A>(n);
    const A scale = A(1) / Kokkos::sqrt(mean + A(Rmsnorm::epsilon));
    const Index ahead = row_ahead<T>(n);
    for_row<N>(
        group, n, [&](auto access, Index k, int) __attribute__((always_inline)) {
          prefetch_read(source + ahead + k);
          access.store_any_tie(target + k, access.load(source + k) * scale * access.load(gamma + k));
        });
  }
};

template <class T>
struct RmsnormKernel : UniformTypes<T> {
  Index m;
  RmsnormBody<T> body;

  RmsnormKernel(const Rmsnorm::Params& p, const Buffers& buffers)
      : m(p.m), body{buffers.input<T>(0), buffers.input<T>(1), buffers.output<T>(0), p.n} {}
  void run(const Exec& exec) const { for_rows<T>(exec, m, body.n, body); }
};

}  // namespace

const OperatorEntry& rmsnorm_entry() {
  static const OperatorEntry entry{&spec_of<Rmsnorm>(), {floating_implementation<Rmsnorm, RmsnormKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
