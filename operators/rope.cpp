#include "operators/rope.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// All heads of a token, which share its angles.
template <class T>
struct RopeBody {
  const T* x;
  const T* cosine;
  const T* sine;
  T* y;
  Index heads, half;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index token, const Group& group, Index) const {
    if constexpr (on_host) {
      for (Index head = 0; head < heads; ++head) {
        for_row<N>(
            group,
            half, [&](auto access, Index j, int) __attribute__((always_inline)) { rotate(access, token, head, j); });
      }
    } else {
      const Index packs = half / N;
      for (Index i = group.rank(); i < heads * packs; i += group.size()) {
        rotate(AnyOrder<N>{}, token, i / packs, i % packs * N);
      }
    }
  }

 private:
  template <class Access>
  GABLE_FUNCTION void rotate(Access access, Index token, Index head, Index j) const {
    const Index first = (token * heads + head) * 2 * half + j, angle = token * half + j;
    const auto low = access.load(x + first), high = access.load(x + first + half);
    const auto c = access.load(cosine + angle), s = access.load(sine + angle);
    access.store(y + first, low * c - high * s);
    access.store(y + first + half, high * c + low * s);
  }
};

template <class T>
struct RopeKernel : UniformTypes<T> {
  Index tokens;
  RopeBody<T> body;

  RopeKernel(const Rope::Params& p, const Buffers& buffers)
      : tokens(p.tokens),
        body{buffers.input<T>(0), buffers.input<T>(1), buffers.input<T>(2), buffers.output<T>(0), p.heads, p.d / 2} {}
  void run(const Exec& exec) const { for_rows<T>(exec, tokens, body.half, body); }
};

}  // namespace

const OperatorEntry& rope_entry() {
  static const OperatorEntry entry{&spec_of<Rope>(), {floating_implementation<Rope, RopeKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
