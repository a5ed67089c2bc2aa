#pragma once
#include <type_traits>

#include "operators/device/chunk.hpp"
#include "operators/device/pack.hpp"
#include "operators/device/remainder.hpp"

namespace gable::device {

/// How a body reads its operands in one step: N elements, or the first `count` of them at the end of a row, in whose
/// other lanes load(x, rest) puts `rest`.
template <int N>
struct FullPack {
  template <class T>
  GABLE_FUNCTION LanesOf<T, N> load(const T* source, Accumulate<T> = 0) const {
    return device::load<N>(source);
  }
  template <class T>
  GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes) const {
    device::store<N>(target, lanes);
  }
  template <class T>
  GABLE_FUNCTION void store_ties_unspecified(T* target, const LanesOf<T, N>& lanes) const {
    store(target, lanes);
  }
};
/// As FullPack for operands that all have one storage type, with the lanes in any order. fetch(x) begins what load(x)
/// does, which is lanes_of(fetch(x)).
template <int N>
struct AnyOrder {
  template <class T>
  GABLE_FUNCTION Fetched<T, N> fetch(const T* source, Accumulate<T> = 0) const {
#if defined(GABLE_ARRAY_LANES)
    return pack_at<N>(source);
#else
    return load(source);
#endif
  }
  template <class T>
  GABLE_FUNCTION LanesOf<T, N> load(const T* source, Accumulate<T> = 0) const {
    return load_any_order<N>(source);
  }
  template <class T>
  GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes) const {
    store_any_order<N>(target, lanes);
  }
  template <class T>
  GABLE_FUNCTION void store_ties_unspecified(T* target, const LanesOf<T, N>& lanes) const {
    store_any_order<N, true>(target, lanes);
  }
};
template <int N>
struct PartialPack {
  int count;
  template <class T>
  GABLE_FUNCTION LanesOf<T, N> fetch(const T* source, Accumulate<T> rest = 0) const {
    return load(source, rest);
  }
  template <class T>
  GABLE_FUNCTION LanesOf<T, N> load(const T* source, Accumulate<T> rest = 0) const {
    return device::load<N>(source, count, rest);
  }
  template <class T>
  GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes) const {
    device::store<N>(target, lanes, count);
  }
  template <class T>
  GABLE_FUNCTION void store_ties_unspecified(T* target, const LanesOf<T, N>& lanes) const {
    store(target, lanes);
  }
};

/// out[i] = body(access, i, j) for every i of a contiguous [rows, columns] array, j = i mod columns. The body reads its
/// operands with access.load(x + i) or, for a vector that every row shares, access.load(b + j), and returns lanes.
/// Plain elementwise operators pass columns = count. A body that is one long chain of dependent instructions is given
/// in two halves instead, begin(access, i, j) and finish(begun): a CPU thread overlaps one pack's end with the next
/// one's begin, which a core's window of instructions is too short to do by itself. A body with a constant
/// rounding_ties_unspecified has results that need no rounding, or whose own error makes a half-way case chance
/// (store_any_order). A body may store to further arrays itself. One with a constant mixed_types has arrays of several
/// storage types, whose lanes must meet in memory order.
template <class T, class Body>
class Elementwise {
 public:
  Elementwise(T* out, Index count, Index columns, const Body& body)
      : out_(out),
        count_(count),
        columns_(columns),
        column_(columns > 0 ? columns : 1),
        packs_(columns % pack_size<T> == 0 || columns == count),
        body_(body) {}

  /// Enqueues; does not wait.
  void run(const Exec& exec) const {
    const Index whole = packs_ ? count_ / pack_size<T> : 0;
    const Index parts = on_host ? exec.concurrency() : whole + (count_ - whole * pack_size<T>);
    Elementwise kernel = *this;
    kernel.parts_ = parts;
    Kokkos::parallel_for("gable::elementwise", ThreadPolicy(exec, 0, parts), kernel);
  }

  KOKKOS_INLINE_FUNCTION void operator()(Index part) const {
    if constexpr (on_host) {
      const Chunk chunk = chunk_of(count_, part, parts_, chunk_grain);
      Index i = chunk.begin, j = i % columns_;
      while (i < chunk.end) {
        const Index left = columns_ - j < chunk.end - i ? columns_ - j : chunk.end - i;
        walk(i, j, left);
        i += left;
        j = 0;
      }
    } else {
      const Index whole = packs_ ? count_ / pack_size<T> : 0;
      if (part < whole) {
        step(FullPack<pack_size<T>>{}, part * pack_size<T>);
      } else {
        step(FullPack<1>{}, whole * pack_size<T> + (part - whole));
      }
    }
  }

 private:
  static constexpr bool mixed_types = requires { Body::mixed_types; };
  using HostAccess = std::conditional_t<mixed_types, FullPack<pack_size<T>>, AnyOrder<pack_size<T>>>;

  template <class Access, class Result>
  static GABLE_FUNCTION void put(Access access, T* target, const Result& lanes) {
    if constexpr (requires { Body::rounding_ties_unspecified; }) {
      access.store_ties_unspecified(target, lanes);
    } else {
      access.store(target, lanes);
    }
  }
  template <class Access>
  static GABLE_FUNCTION auto result(const Body& body, Access access, Index i, Index j) {
    if constexpr (requires { body.begin(access, i, j); }) {
      return body.finish(body.begin(access, i, j));
    } else {
      return body(access, i, j);
    }
  }
  template <class Access>
  GABLE_FUNCTION void step(Access access, Index i) const {
    access.store(out_ + i, result(body_, access, i, column_.of(i)));
  }
  /// `count` elements of one row from element i, column j.
  GABLE_FUNCTION void walk(Index i, Index j, Index count) const {
    constexpr int pack = pack_size<T>;
    const HostAccess access;
    // Local copies, so that the compiler need not assume that a store changes them.
    const Body body = body_;
    T* const out = out_;
    Index k = 0;
    if constexpr (requires { body.begin(access, i, j); }) {
      if (count >= pack) {
        auto begun = body.begin(access, i, j);
        for (k = pack; k + pack <= count; k += pack) {
          const auto next = body.begin(access, i + k, j + k);
          put(access, out + i + k - pack, body.finish(begun));
          begun = next;
        }
        put(access, out + i + k - pack, body.finish(begun));
      }
    } else {
      for (; k + pack <= count; k += pack) put(access, out + i + k, body(access, i + k, j + k));
    }
    const PartialPack<pack> rest{static_cast<int>(count - k)};
    if (rest.count > 0) rest.store(out + i + k, result(body, rest, i + k, j + k));
  }

  T* out_;
  Index count_, columns_;
  Remainder column_;
  Index parts_{};
  bool packs_;
  Body body_;
};

template <class T, class Body>
void elementwise(const Exec& exec, T* out, Index count, Index columns, const Body& body) {
  Elementwise<T, Body>(out, count, columns, body).run(exec);
}

/// Base of kernels that are one such walk.
template <class T, class Body>
struct ElementwiseKernel {
  T* out;
  Index count, columns;
  Body body;
  void run(const Exec& exec) const { elementwise(exec, out, count, columns, body); }
};

/// Elementwise a + b.
template <class T>
struct AddBody {
  const T* a;
  const T* b;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return access.load(a + i) + access.load(b + i);
  }
};

}  // namespace gable::device
