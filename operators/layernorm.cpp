#include "operators/layernorm.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Two walks over a row: sums of x - x[0] and of its square, then the result. The first asks for the lines of the
/// result, the second for the next row. Var = S2/n - (S1/n)^2 cancels where x[0] lies far outside the other values:
/// beyond four standard deviations the squares are taken about the mean instead, so that no more than a factor 17 of
/// the sum's own rounding is ever lost.
template <class T>
struct LayernormBody {
  using A = Accumulate<T>;
  const T* x;
  const T* gamma;
  const T* beta;
  T* y;
  Index n;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
    const T* source = x + i * n;
    T* target = y + i * n;
    const A count = static_cast<A>(n);
    const A first = widen(source[0]);
    const Sums sums = row_sums<N>(source, target, group, first);
    const A offset = sums.values / count;
    const A mean = first + offset;
    A variance = sums.squares / count - offset * offset;
    if (offset * offset > A(16) * variance) variance = row_sums<N>(source, target, group, mean).squares / count;
    const Index ahead = row_ahead<T>(n);
    const A scale = A(1) / Kokkos::sqrt(variance + A(Layernorm::epsilon));
    for_row<N>(
        group, n, [&](auto access, Index k, int) __attribute__((always_inline)) {
          prefetch_read(source + ahead + k);
          const auto normal = (access.load(source + k) - mean) * scale;
          access.store_any_tie(target + k, normal * access.load(gamma + k) + access.load(beta + k));
        });
  }

 private:
  struct Sums {
    A values, squares;
  };
  /// Of x - centre.
  template <int N, class Group>
  GABLE_FUNCTION Sums row_sums(const T* source, const T* target, const Group& group, A centre) const {
    LanesOf<T, N> values[slots], squares[slots];
    for (int s = 0; s < slots; ++s) values[s] = squares[s] = A(0);
    for_row<N>(
        group, n, [&](auto access, Index k, int s) __attribute__((always_inline)) {
          prefetch_write(target + k);
          const auto centred = access.load(source + k, centre) - centre;
          values[s] += centred;
          squares[s] += centred * centred;
        });
    for (int s = 1; s < slots; ++s) {
      values[0] += values[s];
      squares[0] += squares[s];
    }
    return {group.sum(sum(values[0])), group.sum(sum(squares[0]))};
  }
};

template <class T>
struct LayernormKernel : UniformTypes<T> {
  Index m;
  LayernormBody<T> body;

  LayernormKernel(const Layernorm::Params& p, const Buffers& buffers)
      : m(p.m), body{buffers.input<T>(0), buffers.input<T>(1), buffers.input<T>(2), buffers.output<T>(0), p.n} {}
  void run(const Exec& exec) const { for_rows<T>(exec, m, body.n, body); }
};

}  // namespace

const OperatorEntry& layernorm_entry() {
  static const OperatorEntry entry{&spec_of<Layernorm>(),
                                   {floating_implementation<Layernorm, LayernormKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
