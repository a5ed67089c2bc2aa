#include "operators/layernorm.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Three walks over a row: sum, squares about the mean, result. The first brings the row into cache, the others find it
/// there. The second asks for the lines of the result, the last for the next row.
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
    const A mean = row_sum<N>(source, group) / static_cast<A>(n);
    const A variance = row_squares<N>(source, target, group, mean) / static_cast<A>(n);
    const Index ahead = row_ahead<T>(n);
    const A scale = A(1) / Kokkos::sqrt(variance + A(Layernorm::epsilon));
    for_row<N>(
        group, n, [&](auto access, Index k, int) __attribute__((always_inline)) {
          prefetch_read(source + ahead + k);
          const auto normal = (access.load(source + k) - mean) * scale;
          access.store(target + k, normal * access.load(gamma + k) + access.load(beta + k));
        });
  }

 private:
  template <int N, class Group>
  GABLE_FUNCTION A row_sum(const T* source, const Group& group) const {
    LanesOf<T, N> total[slots];
    for (int s = 0; s < slots; ++s) total[s] = A(0);
    for_row<N>(
        group,
        n, [&](auto access, Index k, int s) __attribute__((always_inline)) { total[s] += access.load(source + k); });
    for (int s = 1; s < slots; ++s) total[0] += total[s];
    return group.sum(sum(total[0]));
  }
  template <int N, class Group>
  GABLE_FUNCTION A row_squares(const T* source, const T* target, const Group& group, A mean) const {
    LanesOf<T, N> total[slots];
    for (int s = 0; s < slots; ++s) total[s] = A(0);
    for_row<N>(
        group, n, [&](auto access, Index k, int s) __attribute__((always_inline)) {
          prefetch_write(target + k);
          const auto centred = access.load(source + k, mean) - mean;
          total[s] += centred * centred;
        });
    for (int s = 1; s < slots; ++s) total[0] += total[s];
    return group.sum(sum(total[0]));
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
