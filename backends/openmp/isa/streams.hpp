#pragma once
// The streaming loops of the ISA files; see loops.hpp for the rules. An inner iteration moves 64 doubles (512 bytes) of
// each array; of loops that load and store different ones 16.
#include "backends/openmp/isa/isa_table.hpp"
#include "backends/openmp/isa/loops.hpp"

namespace gable::isa {
namespace {

/// The passes are told apart: without this the compiler could merge passes that store or load the same.
[[gnu::always_inline]] inline void next_pass() { asm volatile("" : : : "memory"); }

/// Doubles of each array in an inner iteration of loops that load or store one array, and of those that store one and
/// load others. There it is one line of each stream: out of main memory copy and triad are up to 19 % faster so with
/// AVX-512 on Zen 4, out of caches as fast. (Few load instructions go through a stream then; prefetchers may tell
/// streams apart by the instruction.)
inline constexpr std::size_t group = 64, copy_group = 16;

/// Doubles of each stream in an inner iteration of reading: whole lines, so that loads side by side are of one line.
inline constexpr std::size_t stream_step = group / read_streams;

/// The loops over vectors V of a known length.
template <class V>
struct FixedLoops : V {
  using Reg = typename V::Reg;
  static constexpr std::size_t lanes = sizeof(Reg) / sizeof(double);

  /// Every load is folded into one of four registers by exclusive or (one cycle, on more ports than loads have, so that
  /// loads bind), and all of them reach the sink.
  [[gnu::always_inline]] static void read(const double* a, std::size_t n, std::uint64_t passes, void* sink) {
    const std::size_t part = n / read_streams;
    Reg s0 = V::zero(), s1 = s0, s2 = s0, s3 = s0;
    opaque(s0), opaque(s1), opaque(s2), opaque(s3);
    for (; passes != 0; --passes) {
      for (const double *p = a, *end = a + part; p != end; p += stream_step) {
        const auto fold = [&](std::size_t i, Reg & sum) __attribute__((always_inline)) {
          sum = V::exclusive_or(sum, V::load(p + i / stream_step * part + i % stream_step));
        };
        [&]<std::size_t... I>(Indices<I...>) __attribute__((always_inline)) {
          (fold(I * lanes, I % 4 == 0 ? s0 : I % 4 == 1 ? s1 : I % 4 == 2 ? s2 : s3), ...);
        }
        (UpTo<group / lanes>{});
      }
      next_pass();
    }
    V::store(sink, V::exclusive_or(V::exclusive_or(s0, s1), V::exclusive_or(s2, s3)));
  }

  /// body(i) for the index i of every vector of n doubles, `step` doubles side by side.
  template <std::size_t step, class Body>
  [[gnu::always_inline]] static void for_vectors(std::size_t n, std::uint64_t passes, Body body) {
    constexpr std::size_t stream = step / store_streams;  // doubles of each stream
    const std::size_t part = n / store_streams;
    for (; passes != 0; --passes) {
      for (std::size_t i = 0; i != part; i += stream) {
        [&]<std::size_t... I>(Indices<I...>) __attribute__((always_inline)) {
          (body(i + I * lanes / stream * part + I * lanes % stream), ...);
        }
        (UpTo<step / lanes>{});
      }
      next_pass();
    }
  }
};

// The kernels. L is FixedLoops or, for vectors whose length is known at run time only, has the same members; what its
// for_vectors() hands to the body beside the index goes on to load(), store() and the arithmetic. fence() waits for
// stores that are not ordinary.

template <class L>
void read_stream(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void* sink) {
  L::read(a, n, passes, sink);
}
template <class L>
void write_stream(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  auto k = L::set(stream_scalar);
  opaque(k);
  L::template for_vectors<group>(
      n, passes, [&](std::size_t i, auto... which) __attribute__((always_inline)) { L::store(a + i, k, which...); });
  L::fence();
}
template <class L>
void copy_stream(double* a, const double* b, const double*, std::size_t n, std::uint64_t passes, void*) {
  L::template for_vectors<copy_group>(
      n, passes, [&](std::size_t i, auto... which) __attribute__((always_inline)) {
        L::store(a + i, L::load(b + i, which...), which...);
      });
  L::fence();
}
/// In place: the last bit of every element is turned over, which neither grows nor vanishes over many passes.
template <class L>
void update_stream(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void*) {
  auto k = L::set(last_bit);
  opaque(k);
  L::template for_vectors<group>(
      n, passes, [&](std::size_t i, auto... which) __attribute__((always_inline)) {
        L::store(a + i, L::exclusive_or(k, L::load(a + i, which...), which...), which...);
      });
  L::fence();
}
template <class L>
void triad_stream(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void*) {
  auto k = L::set(stream_scalar);
  opaque(k);
  L::template for_vectors<copy_group>(
      n, passes, [&](std::size_t i, auto... which) __attribute__((always_inline)) {
        L::store(a + i, L::fma(k, L::load(c + i, which...), L::load(b + i, which...), which...), which...);
      });
  L::fence();
}

/// One load of each line, none of which waits for another one, in an order that no prefetcher foretells: a line of each
/// part of the array in turn, its index from a linear congruential generator modulo their number, a power of two, which
/// comes to each once before it begins again (Hull and Dobell, SIAM Review 4(3), 1962). So a cache smaller than the
/// array that replaces the least recently used line holds none of it. The upper bits are folded into the lower ones,
/// which have short periods; one half of the parts has other bits than the other, so that not all lines side by side
/// meet the same sets and banks. An index serves four parts, and what is loaded goes to vector registers: with four
/// parts and registers of integers Zen 5 has half as many loads under way.
inline void random_stream(double* a, const double*, const double*, std::size_t n, std::uint64_t passes, void* sink) {
  typedef std::uint64_t Words __attribute__((vector_size(16), may_alias));
  constexpr std::uint64_t multiplier = 747796405;  // 1 modulo 4
  constexpr std::size_t line = 64, parts = 8;
  const std::size_t part = n * sizeof(double) / parts, lines = part / line, mask = lines - 1;
  const std::size_t flip = (0x5555555555555555U & mask) * line;
  const char* const p0 = reinterpret_cast<const char*>(a);
  const char *const p1 = p0 + part, *const p2 = p1 + part, *const p3 = p2 + part, *const p4 = p3 + part,
                    *const p5 = p4 + part, *const p6 = p5 + part, *const p7 = p6 + part;
  const auto at = [](const char* p, std::size_t i) __attribute__((always_inline)) {
    return *reinterpret_cast<const Words*>(p + i);
  };
  std::uint64_t x = 0;
  Words s0{}, s1{}, s2{}, s3{};
  for (; passes != 0; --passes) {
    for (std::size_t left = lines; left != 0; --left) {
      x = x * multiplier + 1;
      std::size_t i = x & mask;
      i = (i ^ i >> 11) * line;
      s0 ^= at(p0, i), s1 ^= at(p1, i), s2 ^= at(p2, i), s3 ^= at(p3, i);
      i ^= flip;
      s0 ^= at(p4, i), s1 ^= at(p5, i), s2 ^= at(p6, i), s3 ^= at(p7, i);
    }
    next_pass();
  }
  *static_cast<Words*>(sink) = s0 ^ s1 ^ s2 ^ s3;
}

/// Every instruction set's streams. L stores ordinarily, NonTemporal past the caches.
template <class L, class NonTemporal>
inline constexpr StreamKernel stream_kernels[] = {
    {"read", "none", read_stream<L>},
    {"write", "ordinary", write_stream<L>},
    {"copy", "ordinary", copy_stream<L>},
    {"update", "ordinary", update_stream<L>},
    {"triad", "ordinary", triad_stream<L>},
    {"random", "none", random_stream},
    {"write", "non_temporal", write_stream<NonTemporal>},
    {"copy", "non_temporal", copy_stream<NonTemporal>},
    {"triad", "non_temporal", triad_stream<NonTemporal>},
};

}  // namespace
}  // namespace gable::isa
