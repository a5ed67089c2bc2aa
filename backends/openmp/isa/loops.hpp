#pragma once
// The loops of the ISA files, written once. Each ISA file includes this after its intrinsics header and hands in small
// policy types (V: the register type and one static function per instruction). Everything is internal to the including
// file and inlined into its extern "C" entry points: no symbol of this header exists, so none can be merged across
// instruction sets. Registers travel as parameter packs, not arrays, because SVE types cannot be array elements or
// members.
#include "backends/openmp/isa/isa_table.hpp"

namespace gable::isa {
namespace {

template <std::size_t... I>
struct Indices {};
template <std::size_t N, std::size_t... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <std::size_t... I>
struct MakeIndices<0, I...> {
  using type = Indices<I...>;
};
/// 0 … N-1 as a pack.
template <std::size_t N>
using UpTo = typename MakeIndices<N>::type;

/// Streams that a reading loop follows side by side, each a part of the array. A prefetcher looks a number of lines
/// ahead on each stream it sees and stops at the end of a page: one stream leaves part of a core's bandwidth to memory
/// unused (Zen 5: four read a third more).
inline constexpr std::size_t read_streams = 4;
/// Tells the compiler that x may have changed, in a register; emits nothing. What is computed from x can then neither
/// be hoisted out of a loop nor folded, and what was assigned to x has to be computed.
template <class Reg>
[[gnu::always_inline]] inline void opaque(Reg& x) {
#if defined(__x86_64__)
  asm volatile("" : "+v"(x));
#else
  asm volatile("" : "+w"(x));
#endif
}

/// Address of the i-th vector of addends or starting values, both halves of the operands.
[[gnu::always_inline]] inline const char* addend_at(const void* operands, std::size_t i, std::size_t vector_bytes) {
  return static_cast<const char*>(operands) + i % (operand_bytes / 2 / vector_bytes) * vector_bytes;
}
[[gnu::always_inline]] inline const char* start_at(const void* operands, std::size_t i, std::size_t vector_bytes) {
  return addend_at(operands, i, vector_bytes) + operand_bytes / 2;
}

/// step(x) for every x in turn, `rounds` times, without a loop.
template <int rounds, class Step, class... Reg>
[[gnu::always_inline]] inline void unrolled(Step& step, Reg&... x) {
  if constexpr (rounds > 0) {
    (step(x), ...);
    unrolled<rounds - 1>(step, x...);
  }
}

/// Lane-wise sum of all registers into the sink: makes every chain live.
template <class V, class Reg, class... Regs>
[[gnu::always_inline]] inline void reduce(void* sink, Reg x, Regs... others) {
  ((x = V::add(x, others)), ...);
  V::store(sink, x);
}

/// body(x, y, …) with `count` starting values, each from another address, beginning with the one at `first`.
template <class V, std::size_t count, std::size_t first = 0, class Body>
[[gnu::always_inline]] inline void with_starts(const void* operands, Body body) {
  [&]<std::size_t... I>(Indices<I...>) __attribute__((always_inline)) {
    body(V::load(start_at(operands, first + I, V::bytes()))...);
  }
  (UpTo<count>{});
}

/// The shape of every chained kernel: `width` independent registers x, each stepped `rounds` times per iteration.
/// The starting values and constants are loaded from memory the compiler knows nothing of, every start from another
/// address, and all registers are reduced into the sink: no step is constant, shared or dead, and without -ffast-math
/// none may be reassociated.
template <class V, int rounds, std::size_t width, class Step>
[[gnu::always_inline]] inline void chains(std::uint64_t iterations, const void* operands, void* sink, Step step) {
  with_starts<V, width>(
      operands, [&](auto... x) __attribute__((always_inline)) {
        for (; iterations != 0; --iterations) unrolled<rounds>(step, x...);
        reduce<V>(sink, x...);
      });
}

/// add(x) for every x, then subtract(x) for every x, `rounds` times: for sums of products, which would grow without
/// bound.
template <int rounds, class Add, class Subtract, class... Reg>
[[gnu::always_inline]] inline void alternated(Add& add, Subtract& subtract, Reg&... x) {
  if constexpr (rounds > 0) {
    (add(x), ...);
    (subtract(x), ...);
    alternated<rounds - 1>(add, subtract, x...);
  }
}
template <class V, int rounds, std::size_t width, std::size_t first, class Add, class Subtract>
[[gnu::always_inline]] inline void alternating_chains(std::uint64_t iterations, const void* operands, void* sink,
                                                      Add add, Subtract subtract) {
  with_starts<V, width, first>(
      operands, [&](auto... x) __attribute__((always_inline)) {
        for (; iterations != 0; --iterations) alternated<rounds>(add, subtract, x...);
        reduce<V>(sink, x...);
      });
}

// Functions of (iterations, operands, sink) are kernels: their addresses stand in the tables.

/// x <- x x + c, fused.
template <class V, int rounds, std::size_t width>
void fma_chains(std::uint64_t iterations, const void* operands, void* sink) {
  using Reg = typename V::Reg;
  const Reg c = V::load(addend_at(operands, 0, V::bytes()));
  chains<V, rounds, width>(
      iterations, operands, sink, [&](Reg & x) __attribute__((always_inline)) { x = V::fma(x, x, c); });
}

/// x <- x x + c, as a multiplication and an addition. opaque() after each step, because integers may be reassociated.
template <class V, int rounds, std::size_t width>
void mul_add_chains(std::uint64_t iterations, const void* operands, void* sink) {
  using Reg = typename V::Reg;
  const Reg c = V::load(addend_at(operands, 0, V::bytes()));
  chains<V, rounds, width>(
      iterations, operands, sink, [&](Reg & x) __attribute__((always_inline)) {
        x = V::add(V::mul(x, x), c);
        opaque(x);
      });
}

/// x <- x x + c and y <- d - y side by side, `fma_rounds` and `sub_rounds` times per iteration in alternation: FMA
/// pipes and, on AMD Zen, the adders beside them. y takes two values in turn, so that it stays bounded.
template <class V, int fma_rounds, std::size_t fma_width, int sub_rounds, std::size_t sub_width>
void fma_add_chains(std::uint64_t iterations, const void* operands, void* sink) {
  using Reg = typename V::Reg;
  const Reg c = V::load(addend_at(operands, 0, V::bytes())), d = V::load(addend_at(operands, 1, V::bytes()));
  auto fma = [&](Reg & x) __attribute__((always_inline)) { x = V::fma(x, x, c); };
  auto sub = [&](Reg & y) __attribute__((always_inline)) { y = V::sub(d, y); };
  with_starts<V, fma_width>(
      operands, [&](auto... x) __attribute__((always_inline)) {
        with_starts<V, sub_width, fma_width>(
            operands, [&](auto... y) __attribute__((always_inline)) {
              for (; iterations != 0; --iterations) {
                unrolled<fma_rounds / 2>(fma, x...), unrolled<sub_rounds / 2>(sub, y...);
                unrolled<fma_rounds - fma_rounds / 2>(fma, x...), unrolled<sub_rounds - sub_rounds / 2>(sub, y...);
              }
              reduce<V>(sink, x..., y...);
            });
      });
}

/// x <- V::product(x, a, b), which adds products of the factors a and b. The compiler does not know the instruction's
/// arithmetic and cannot turn repetition into multiplication; two different pairs keep the factors toggling. For
/// integers, whose sums wrap around.
template <class V, int rounds, std::size_t width>
void product_chains(std::uint64_t iterations, const void* operands, void* sink) {
  const auto factor = [&](std::size_t i) __attribute__((always_inline)) {
    return V::factor(addend_at(operands, i, V::bytes()));
  };
  const auto a0 = factor(0), b0 = factor(1), a1 = factor(2), b1 = factor(3);
  bool odd = false;
  chains<V, rounds, width>(
      iterations, operands, sink, [&](typename V::Reg & x) __attribute__((always_inline)) {
        x = odd ? V::product(x, a1, b1) : V::product(x, a0, b0);
        odd = !odd;
      });
}

/// The same with b and -b in turn, so that the sums of floating-point products stay bounded. The compiler can neither
/// merge nor cancel the two.
template <class V, std::size_t width>
void signed_product_chains(std::uint64_t iterations, const void* operands, void* sink) {
  using Reg = typename V::Reg;
  const auto a = V::factor(start_at(operands, 0, V::bytes()));
  const auto plus = V::factor(addend_at(operands, 0, V::bytes())), minus = V::negative(plus);
  alternating_chains<V, 1, width, 1>(
      iterations, operands, sink, [&](Reg & x) __attribute__((always_inline)) { x = V::product(x, a, plus); },
      [&](Reg & x) __attribute__((always_inline)) { x = V::product(x, a, minus); });
}

/// One register in flight: what remains without instruction-level parallelism, and the clock chain.
inline constexpr int chain_length = 16;

/// How often exponentials, divisions and conversions go over their inputs per iteration.
inline constexpr int map_rounds = 4;

/// out <- function(in) for independent inputs. No input depends on an output, so the core overlaps them freely.
/// opaque() says before each step that the input may have changed (no hoisting) and after it that the output is wanted
/// (no step is dead). The last output goes to the sink.
template <class V, std::size_t inputs, class Function>
[[gnu::always_inline]] inline void map(std::uint64_t iterations, const void* operands, void* sink, Function function) {
  with_starts<V, inputs>(
      operands, [&](auto first, auto... others) __attribute__((always_inline)) {
        auto out = function(first);
        auto step = [&](auto& x) __attribute__((always_inline)) {
          opaque(x);
          out = function(x);
          opaque(out);
        };
        for (; iterations != 0; --iterations) unrolled<map_rounds>(step, first, others...);
        V::store(sink, out);
      });
}

/// V converts there and back.
template <class V, std::size_t inputs>
void convert(std::uint64_t iterations, const void* operands, void* sink) {
  map<V, inputs>(iterations, operands, sink, V());
}

/// c / x. Dividers take as long for all values that these loops hold.
template <class V, std::size_t inputs>
void divide(std::uint64_t iterations, const void* operands, void* sink) {
  using Reg = typename V::Reg;
  const Reg c = V::load(addend_at(operands, 0, V::bytes()));
  map<V, inputs>(
      iterations, operands, sink, [&](Reg x) __attribute__((always_inline)) { return V::div(c, x); });
}

/// The same for long chains of dependent instructions (exp), in two halves of about the same length: begin(x, a, b) and
/// finish(a, b). Each input is begun before the previous one is finished, because a core's window of instructions is
/// too short to overlap whole chains.
template <class V, std::size_t inputs, class Begin, class Finish>
[[gnu::always_inline]] inline void map_in_halves(std::uint64_t iterations, const void* operands, void* sink,
                                                 Begin begin, Finish finish) {
  using Reg = typename V::Reg;
  with_starts<V, inputs>(
      operands, [&](auto first, auto... others) __attribute__((always_inline)) {
        Reg a, b, out = first;
        begin(first, a, b);
        auto step = [&](Reg & x) __attribute__((always_inline)) {
          opaque(x);
          Reg next_a, next_b;
          begin(x, next_a, next_b);
          out = finish(a, b);
          opaque(out);
          a = next_a, b = next_b;
        };
        for (; iterations != 0; --iterations) unrolled<map_rounds>(step, first, others...);
        V::store(sink, finish(a, b));
      });
}

}  // namespace
}  // namespace gable::isa
