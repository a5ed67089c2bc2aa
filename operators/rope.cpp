#include "operators/rope.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// All heads of a token, which share its angles. A CPU thread computes and writes both halves of a head side by side
/// or, if `in_order`, one after the other, the second time out of L1: two streams a multiple of 512 bytes apart, each
/// of half a head's length, keep Zen 3's prefetchers from foreseeing either (in reads alone as in writes alone).
template <class T>
struct RopeBody {
  static constexpr bool needs_registers = sizeof(T) == 2;  ///< angles of a pack are 16 numbers
  const T* x;
  const T* cosine;
  const T* sine;
  T* y;
  Index heads, half;
  bool in_order;

  template <int N, class Group>
  GABLE_FUNCTION void row(Index token, const Group& group, Index) const {
    if constexpr (on_host) {
      for (Index head = 0; head < heads; ++head) {
        if (in_order) {
          walk<N, true, false>(group, token, head);
          walk<N, false, true>(group, token, head);
        } else {
          walk<N, true, true>(group, token, head);
        }
      }
    } else {
      // A thread takes the same pack of several heads: it reads its angles once.
      const int packs = static_cast<int>(half / N), size = static_cast<int>(group.size());
      const int abreast = packs < size ? packs : size, rank = static_cast<int>(group.rank());
      const int heads_on = size / abreast, first_head = rank / abreast;
      if (first_head >= heads_on) return;
      for (int pack = rank % abreast; pack < packs; pack += abreast) {
        const Index j = Index{pack} * N;
        const auto c = device::load<N>(cosine + token * half + j), s = device::load<N>(sine + token * half + j);
        const Index first = (token * heads + first_head) * 2 * half + j;
        turn_heads<N>(x + first, y + first, heads - first_head, heads_on, c, s);
      }
    }
  }

 private:
  /// Every `step`th of `count` heads; loads of two are under way at once.
  template <int N>
  GABLE_FUNCTION void turn_heads(const T* source, T* target, Index count, int step, const LanesOf<T, N>& c,
                                 const LanesOf<T, N>& s) const {
    const Index stride = 2 * half * step;
    const auto turn = [&](T * to, const Pack<T, N>& low, const Pack<T, N>& high) __attribute__((always_inline)) {
      const auto a = widened(low), b = widened(high);
      store<N>(to, a * c - b * s);
      store<N>(to + half, b * c + a * s);
    };
    for (; count > step; count -= 2 * step) {
      const auto low = pack_at<N>(source), high = pack_at<N>(source + half);
      const auto next_low = pack_at<N>(source + stride), next_high = pack_at<N>(source + stride + half);
      turn(target, low, high);
      turn(target + stride, next_low, next_high);
      source += 2 * stride;
      target += 2 * stride;
    }
    if (count > 0) turn(target, pack_at<N>(source), pack_at<N>(source + half));
  }
  template <int N, bool low_half, bool high_half, class Group>
  GABLE_FUNCTION void walk(const Group& group, Index token, Index head) const {
    for_row<N>(
        group, half, [&](auto access, Index j, int) __attribute__((always_inline)) {
          rotate<low_half, high_half>(access, token, head, j);
        });
  }
  template <bool low_half, bool high_half, class Access>
  GABLE_FUNCTION void rotate(Access access, Index token, Index head, Index j) const {
    const Index first = (token * heads + head) * 2 * half + j, angle = token * half + j;
    const auto low = access.load(x + first), high = access.load(x + first + half);
    const auto c = access.load(cosine + angle), s = access.load(sine + angle);
    if constexpr (low_half) access.store(y + first, low * c - high * s);
    if constexpr (high_half) access.store(y + first + half, high * c + low * s);
  }
};

/// Whether halves are written in order: where they are long enough to confuse the prefetchers and the arrays are larger
/// than an L2 cache, out of which the second look at a head would cost an eighth more time.
template <class T>
bool halves_in_order(const Rope::Params& p) {
  constexpr Index shortest_half = 512, most_cached_bytes = Index{2} << 20;
  const Index half_bytes = p.d / 2 * Index{sizeof(T)};
  return half_bytes >= shortest_half && 2 * p.tokens * p.heads * half_bytes > most_cached_bytes;
}

template <class T>
struct RopeKernel : UniformTypes<T>, RowKernel<T, RopeBody<T>> {
  RopeKernel(const Rope::Params& p, const Buffers& buffers)
      : RowKernel<T, RopeBody<T>>{p.tokens,
                                  p.d / 2,
                                  {buffers.input<T>(0), buffers.input<T>(1), buffers.input<T>(2), buffers.output<T>(0),
                                   p.heads, p.d / 2, halves_in_order<T>(p)}} {}
};

}  // namespace

const OperatorEntry& rope_entry() { return floating_entry<Rope, RopeKernel>(); }

}  // namespace gable::operators
