#include "operators/layernorm.hpp"

#include "operators/device/moments.hpp"
#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Two walks over a row: its moments, then the result. The first asks for the lines of the result, the second for the
/// next row.
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
    const Moments<A> moments = row_moments<N>(
        source, n, group, [&](Index k) __attribute__((always_inline)) { prefetch_write(target + k); });
    const Index ahead = row_ahead<T>(n);
    const A mean = moments.mean, scale = A(1) / Kokkos::sqrt(moments.variance + A(Layernorm::epsilon));
    for_row<N>(
        group, n, [&](auto access, Index k, int) __attribute__((always_inline)) {
          prefetch_read(source + ahead + k);
          const auto normal = (access.load(source + k) - mean) * scale;
          access.store_any_tie(target + k, normal * access.load(gamma + k) + access.load(beta + k));
        });
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
