#pragma once
// The streaming loops of the ISA files; see loops.hpp for the rules. An inner iteration moves 64 doubles (512 bytes) of
// each array; of loops that load and store different ones 16.
#include "backends/openmp/isa/isa_table.hpp"
#include "backends/openmp/isa/loops.hpp"

namespace gable::isa {
namespace {

/// The passes are told apart: without this the compiler could merge passes that store or load the same.
[[gnu::always_inline]] inline void next_pass() { asm volatile("" : : : "memory"); }

/// Vectors in an inner iteration: of 64 doubles.
template <class V>
inline constexpr std::size_t group = 512 / sizeof(typename V::Reg);
/// Of 16 doubles, one line of each stream, for loops that store one array and load others: out of main memory copy and
/// triad are up to 19 % faster so with AVX-512 on Zen 4, out of caches as fast. (Few load instructions go through a
/// stream then; prefetchers may tell streams apart by the instruction.)
template <class V>
inline constexpr std::size_t copy_group = group<V> / 4;

/// Doubles of each stream in an inner iteration: whole lines, so that loads side by side are of one line.
inline constexpr std::size_t stream_step = 64 / read_streams;

/// Every load is folded into one of four registers by exclusive or (one cycle, on more ports than loads have, so that
/// loads bind), and all of them reach the sink.
template <class V, std::size_t... I>
[[gnu::always_inline]] inline void read_loop(const double* b, std::size_t n, std::uint64_t passes, void* sink,
                                             Indices<I...>) {
  using R = typename V::Reg;
  constexpr std::size_t lanes = sizeof(R) / sizeof(double);
  const std::size_t part = n / read_streams;
  R s0 = V::zero(), s1 = s0, s2 = s0, s3 = s0;
  opaque(s0), opaque(s1), opaque(s2), opaque(s3);
  for (; passes != 0; --passes) {
    for (const double *p = b, *end = b + part; p != end; p += stream_step) {
      const auto load = [&](std::size_t i) __attribute__((always_inline)) {
        return V::load(p + i / stream_step * part + i % stream_step);
      };
      ((I % 4 == 0   ? s0 = V::exclusive_or(s0, load(I * lanes))
        : I % 4 == 1 ? s1 = V::exclusive_or(s1, load(I * lanes))
        : I % 4 == 2 ? s2 = V::exclusive_or(s2, load(I * lanes))
                     : s3 = V::exclusive_or(s3, load(I * lanes))),
       ...);
    }
    next_pass();
  }
  V::store(sink, V::exclusive_or(V::exclusive_or(s0, s1), V::exclusive_or(s2, s3)));
}
template <class V>
[[gnu::always_inline]] inline void read_stream(const double* a, std::size_t n, std::uint64_t passes, void* sink) {
  read_loop<V>(a, n, passes, sink, UpTo<group<V>>{});
}

/// put(address, index) stores one vector of a. The caller fences after non-temporal stores.
template <class V, class Put, std::size_t... I>
[[gnu::always_inline]] inline void store_loop(double* a, std::size_t n, std::uint64_t passes, Put put, Indices<I...>) {
  constexpr std::size_t lanes = sizeof(typename V::Reg) / sizeof(double);
  constexpr std::size_t step = sizeof...(I) * lanes / store_streams;  // doubles of each stream
  const std::size_t part = n / store_streams;
  for (; passes != 0; --passes) {
    for (std::size_t i = 0; i != part; i += step) {
      const auto at = [&](std::size_t lane) __attribute__((always_inline)) {
        return i + lane / step * part + lane % step;
      };
      (put(a + at(I * lanes), at(I * lanes)), ...);
    }
    next_pass();
  }
}
template <class V, class Store>
[[gnu::always_inline]] inline void write_stream(double* a, std::size_t n, std::uint64_t passes, Store store) {
  typename V::Reg k = V::set(stream_scalar);
  opaque(k);
  store_loop<V>(
      a, n, passes, [&](double* to, std::size_t) __attribute__((always_inline)) { store(to, k); }, UpTo<group<V>>{});
}
template <class V, class Store>
[[gnu::always_inline]] inline void copy_stream(double* a, const double* b, std::size_t n, std::uint64_t passes,
                                               Store store) {
  store_loop<V>(
      a, n, passes, [&](double* to, std::size_t i) __attribute__((always_inline)) { store(to, V::load(b + i)); },
      UpTo<copy_group<V>>{});
}
/// In place: the last bit of every element is turned over, which neither grows nor vanishes over many passes.
template <class V, class Store>
[[gnu::always_inline]] inline void update_stream(double* a, std::size_t n, std::uint64_t passes, Store store) {
  typename V::Reg k = V::set(last_bit);
  opaque(k);
  store_loop<V>(
      a, n, passes,
      [&](double* to, std::size_t) __attribute__((always_inline)) { store(to, V::exclusive_or(k, V::load(to))); },
      UpTo<group<V>>{});
}
template <class V, class Store>
[[gnu::always_inline]] inline void triad_stream(double* a, const double* b, const double* c, std::size_t n,
                                                std::uint64_t passes, Store store) {
  typename V::Reg k = V::set(stream_scalar);
  opaque(k);
  store_loop<V>(
      a, n, passes,
      [&](double* to, std::size_t i)
          __attribute__((always_inline)) { store(to, V::fma(k, V::load(c + i), V::load(b + i))); },
      UpTo<copy_group<V>>{});
}

}  // namespace
}  // namespace gable::isa
