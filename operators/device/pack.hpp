#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "operators/device/bf16.hpp"
#include "operators/device/isa/loads.hpp"
#include "operators/device/isa/pair.hpp"
#include "operators/device/lanes.hpp"
#include "operators/device/storage.hpp"

namespace gable::device {

/// Elements a thread takes per step. GPU: 16 bytes of storage, the widest access. Host: two vector registers of
/// accumulate type, because one dependent chain of instructions (an exponential) leaves most of a core idle.
template <class T>
#if defined(GABLE_ARRAY_LANES)
inline constexpr int pack_size = 16 / static_cast<int>(sizeof(T));
#else
inline constexpr int pack_size = 2 * register_bytes / static_cast<int>(sizeof(Accumulate<T>));
#endif

template <class T, int N = pack_size<T>>
using LanesOf = Lanes<Accumulate<T>, N>;

/// N elements of storage type T that a GPU thread moves in 16-byte accesses.
template <class T, int N>
struct alignas(N * sizeof(T) <= 16 ? N * sizeof(T) : 16) Pack {
  T element[N];
};
/// At an address that is aligned to the pack.
template <int N, class T>
GABLE_FUNCTION Pack<T, N> pack_at(const T* source) {
  return *reinterpret_cast<const Pack<T, N>*>(source);
}
template <int N, class T>
GABLE_FUNCTION void put_pack(T* target, const Pack<T, N>& pack) {
  store_whole(reinterpret_cast<Pack<T, N>*>(target), pack);
}
/// Whether a GPU converts a pack's elements two at a time, as words: with 16 bits each it takes them apart first.
template <class T, int N>
inline constexpr bool by_words = (std::is_same_v<T, Fp16> || std::is_same_v<T, Bf16>)&&N % 2 == 0;
/// A pack's elements as lanes.
template <class T, int N>
GABLE_FUNCTION LanesOf<T, N> widened(const Pack<T, N>& pack) {
  LanesOf<T, N> lanes;
  if constexpr (by_words<T, N>) {
    const auto words = std::bit_cast<Pack<std::uint32_t, N / 2>>(pack);
    for (int i = 0; i < N; i += 2) {
      const Singles both = widen_pair<T>(words.element[i / 2]);
      lanes.set(i, both.low);
      lanes.set(i + 1, both.high);
    }
  } else {
    for (int i = 0; i < N; ++i) lanes.set(i, widen(pack.element[i]));
  }
  return lanes;
}
/// Lanes as a pack, rounded to nearest even.
template <class T, int N>
GABLE_FUNCTION Pack<T, N> narrowed(const LanesOf<T, N>& lanes) {
  if constexpr (by_words<T, N>) {
    Pack<std::uint32_t, N / 2> words;
    for (int i = 0; i < N; i += 2) words.element[i / 2] = narrow_pair<T>(lanes[i], lanes[i + 1]);
    return std::bit_cast<Pack<T, N>>(words);
  } else {
    Pack<T, N> pack;
    for (int i = 0; i < N; ++i) pack.element[i] = narrow<T>(lanes[i]);
    return pack;
  }
}

#if !defined(GABLE_ARRAY_LANES)
/// One part of Lanes<Accumulate<T>, N>, `width` elements, in the instruction set's own conversion where there is one.
/// Copies go through register variables, never through an object in memory.
template <class T, int width>
GABLE_FUNCTION typename VectorOf<Accumulate<T>, width>::type load_part(const T* source) {
  using Part = typename VectorOf<Accumulate<T>, width>::type;
  if constexpr (std::is_same_v<T, Accumulate<T>>) {
    Part values;
    std::memcpy(&values, source, sizeof values);
    return values;
  } else if constexpr (std::is_same_v<T, Fp16>) {
    return isa::Fp16Vector<width>::load(source);
  } else if constexpr (std::is_same_v<T, Bf16>) {
    return load_bf16<width>(source);
  } else {
    static_assert(std::is_same_v<T, std::int8_t>);
    return isa::Integers<width>::load(source);
  }
}

template <class T, int width>
GABLE_FUNCTION void store_part(T* target, typename VectorOf<Accumulate<T>, width>::type values) {
  if constexpr (std::is_same_v<T, Accumulate<T>>) {
    std::memcpy(target, &values, sizeof values);
  } else if constexpr (std::is_same_v<T, Fp16>) {
    isa::Fp16Vector<width>::store(target, values);
  } else if constexpr (std::is_same_v<T, Bf16>) {
    store_bf16<width>(target, values);
  } else {
    for (int i = 0; i < width; ++i) target[i] = narrow<T>(values[i]);
  }
}
#endif

/// Whether N elements of T are stored as two registers at once, and load_any_order has an order of its own for them.
template <int N, class T>
inline constexpr bool halves_apart = std::is_same_v<T, Bf16>&& LanesOf<T, N>::width > 1 && LanesOf<T, N>::parts == 2;

/// N elements of T whose load has begun, which lanes_of() makes lanes: on GPUs as they lie in memory, because a thread
/// that widens them has waited for them; on hosts lanes already, in the order that their load has chosen.
#if defined(GABLE_ARRAY_LANES)
template <class T, int N>
using Fetched = Pack<T, N>;

template <class T, int N>
GABLE_FUNCTION LanesOf<T, N> lanes_of(Pack<T, N> pack) {
  wait_for(pack);
  return widened(pack);
}
#else
template <class T, int N>
using Fetched = LanesOf<T, N>;

template <class A, int N>
GABLE_FUNCTION const Lanes<A, N>& lanes_of(const Lanes<A, N>& lanes) {
  return lanes;
}
#endif

/// Loads N elements as a whole. On GPUs source must be aligned to the pack; on hosts any address does.
template <int N, class T>
GABLE_FUNCTION LanesOf<T, N> load(const T* source) {
#if defined(GABLE_ARRAY_LANES)
  return widened(pack_at<N>(source));
#else
  LanesOf<T, N> lanes;
  constexpr int width = LanesOf<T, N>::width;
  for (int p = 0; p < lanes.parts; ++p) lanes.part[p] = load_part<T, width>(source + p * width);
  return lanes;
#endif
}

/// Stores N elements, rounded to nearest even; alignment as for load.
template <int N, class T>
GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes) {
#if defined(GABLE_ARRAY_LANES)
  put_pack<N>(target, narrowed<T, N>(lanes));
#else
  constexpr int width = LanesOf<T, N>::width;
  if constexpr (halves_apart<N, T>) {
    store_both_bf16<width>(target, lanes.part[0], lanes.part[1]);
  } else {
    for (int p = 0; p < lanes.parts; ++p) store_part<T, width>(target + p * width, lanes.part[p]);
  }
#endif
}

/// As load, in whatever order of lanes costs least (two registers of bf16: even elements, then odd ones, by a shift and
/// a mask where memory order takes shuffles). store_any_order of the same T and N undoes it. Only where the order of
/// lanes does not matter: operands of one T, sums and maxima.
template <int N, class T>
GABLE_FUNCTION LanesOf<T, N> load_any_order(const T* source) {
#if !defined(GABLE_ARRAY_LANES)
  if constexpr (halves_apart<N, T>) {
    LanesOf<T, N> lanes;
    load_bf16_apart<LanesOf<T, N>::width>(source, lanes.part[0], lanes.part[1]);
    return lanes;
  }
#endif
  return load<N>(source);
}
/// rounding_ties_unspecified: half-way cases between two numbers of T may be rounded to either, and NaN must be one
/// that arithmetic on elements of T makes.
template <int N, bool rounding_ties_unspecified = false, class T>
GABLE_FUNCTION void store_any_order(T* target, const LanesOf<T, N>& lanes) {
#if !defined(GABLE_ARRAY_LANES)
  if constexpr (halves_apart<N, T>) {
    constexpr int width = LanesOf<T, N>::width;
    if constexpr (rounding_ties_unspecified) {
      store_bf16_apart_ties_unspecified<width>(target, lanes.part[0], lanes.part[1]);
    } else {
      store_bf16_apart<width>(target, lanes.part[0], lanes.part[1]);
    }
    return;
  }
#endif
  store<N>(target, lanes);
}

#if !defined(GABLE_ARRAY_LANES)
/// The end of a row is a function of its own: inlined everywhere, it would be most of the code.
template <class T>
__attribute__((noinline)) void widen_some(const T* source, Accumulate<T>* target, int count) {
  for (int i = 0; i < count; ++i) target[i] = widen(source[i]);
}
template <class T>
__attribute__((noinline)) void narrow_some(const Accumulate<T>* source, T* target, int count) {
  for (int i = 0; i < count; ++i) target[i] = narrow<T>(source[i]);
}
#endif

/// Loads the first `count` (< N) elements and sets the other lanes to `rest`.
template <int N, class T>
GABLE_FUNCTION LanesOf<T, N> load(const T* source, int count, Accumulate<T> rest) {
#if defined(GABLE_ARRAY_LANES)
  LanesOf<T, N> lanes(rest);
  for (int i = 0; i < count; ++i) lanes.set(i, widen(source[i]));
  return lanes;
#else
  Accumulate<T> all[N];
  store<N>(all, LanesOf<T, N>(rest));
  widen_some(source, all, count);
  return load<N>(all);
#endif
}

/// Stores the first `count` (< N) elements.
template <int N, class T>
GABLE_FUNCTION void store(T* target, const LanesOf<T, N>& lanes, int count) {
#if defined(GABLE_ARRAY_LANES)
  for (int i = 0; i < count; ++i) target[i] = narrow<T>(lanes[i]);
#else
  Accumulate<T> all[N];
  store<N>(all, lanes);
  narrow_some(all, target, count);
#endif
}

/// Copies N elements as they are, whatever their bits. On GPUs both must be aligned to the pack; on hosts any address
/// does.
template <int N, class T>
GABLE_FUNCTION void copy(const T* source, T* target) {
#if defined(GABLE_ARRAY_LANES)
  put_pack<N>(target, pack_at<N>(source));
#else
  std::memcpy(target, source, N * sizeof(T));
#endif
}

}  // namespace gable::device
