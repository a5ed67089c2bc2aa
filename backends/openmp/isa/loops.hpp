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

/// The shape of every chained kernel: independent registers x, each stepped `rounds` times per iteration.
/// The starting values and constants are loaded from memory the compiler knows nothing of, every start from another
/// address, and all registers are reduced into the sink: no step is constant, shared or dead, and without -ffast-math
/// none may be reassociated.
template <class V, int rounds, class Step, class... Reg>
[[gnu::always_inline]] inline void chains(std::uint64_t iterations, void* sink, Step step, Reg... x) {
  for (; iterations != 0; --iterations) unrolled<rounds>(step, x...);
  reduce<V>(sink, x...);
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
template <class V, int rounds, class Add, class Subtract, class... Reg>
[[gnu::always_inline]] inline void alternating_chains(std::uint64_t iterations, void* sink, Add add, Subtract subtract,
                                                      Reg... x) {
  for (; iterations != 0; --iterations) alternated<rounds>(add, subtract, x...);
  reduce<V>(sink, x...);
}

/// x <- x x + c, fused. lanes x 2 x (chains x rounds) flop per iteration.
template <class V, int rounds, std::size_t... I>
[[gnu::always_inline]] inline void fma_chains(std::uint64_t iterations, const void* operands, void* sink,
                                              Indices<I...>) {
  using Reg = typename V::Reg;
  const Reg c = V::load(addend_at(operands, 0, V::bytes()));
  chains<V, rounds>(
      iterations, sink, [&](Reg & x) __attribute__((always_inline)) { x = V::fma(x, x, c); },
      V::load(start_at(operands, I, V::bytes()))...);
}

/// x <- x x + c, as a multiplication and an addition. opaque() after each step, because integers may be reassociated.
template <class V, int rounds, std::size_t... I>
[[gnu::always_inline]] inline void mul_add_chains(std::uint64_t iterations, const void* operands, void* sink,
                                                  Indices<I...>) {
  using Reg = typename V::Reg;
  const Reg c = V::load(addend_at(operands, 0, V::bytes()));
  chains<V, rounds>(
      iterations, sink,
      [&](Reg & x) __attribute__((always_inline)) {
        x = V::add(V::mul(x, x), c);
        opaque(x);
      },
      V::load(start_at(operands, I, V::bytes()))...);
}

/// x <- x x + c and y <- d - y side by side, `fma_rounds` and `sub_rounds` times per iteration in alternation: FMA
/// pipes and, on AMD Zen, the adders beside them. y takes two values in turn, so that it stays bounded.
template <class V, int fma_rounds, int sub_rounds, std::size_t... X, std::size_t... Y>
[[gnu::always_inline]] inline void fma_add_chains(std::uint64_t iterations, const void* in, void* sink, Indices<X...>,
                                                  Indices<Y...>) {
  using Reg = typename V::Reg;
  const Reg c = V::load(addend_at(in, 0, V::bytes())), d = V::load(addend_at(in, 1, V::bytes()));
  auto fma = [&](Reg & x) __attribute__((always_inline)) { x = V::fma(x, x, c); };
  auto sub = [&](Reg & y) __attribute__((always_inline)) { y = V::sub(d, y); };
  [&](auto... x) __attribute__((always_inline)) {
    [&](auto... y) __attribute__((always_inline)) {
      for (; iterations != 0; --iterations) {
        unrolled<fma_rounds / 2>(fma, x...), unrolled<sub_rounds / 2>(sub, y...);
        unrolled<fma_rounds - fma_rounds / 2>(fma, x...), unrolled<sub_rounds - sub_rounds / 2>(sub, y...);
      }
      reduce<V>(sink, x..., y...);
    }
    (V::load(start_at(in, sizeof...(X) + Y, V::bytes()))...);
  }
  (V::load(start_at(in, X, V::bytes()))...);
}

/// One register in flight: what remains without instruction-level parallelism, and the clock chain.
inline constexpr int chain_length = 16;

/// out <- op(in) for independent inputs: exp and conversions. No input depends on an output, so the core overlaps them
/// freely. opaque() says before each step that the input may have changed (no hoisting) and after it that the output is
/// wanted (no step is dead). The last output goes to the sink.
template <class V, int rounds, class Op, class Reg, class... Regs>
[[gnu::always_inline]] inline void map(std::uint64_t iterations, void* sink, Op op, Reg first, Regs... others) {
  auto out = op(first);
  auto step = [&](auto& x) __attribute__((always_inline)) {
    opaque(x);
    out = op(x);
    opaque(out);
  };
  for (; iterations != 0; --iterations) unrolled<rounds>(step, first, others...);
  V::store(sink, out);
}

/// The same for long chains of dependent instructions, in two halves of about the same length: begin(x, a, b) and
/// finish(a, b). Each input is begun before the previous one is finished, because a core's window of instructions is
/// too short to overlap whole chains.
template <class V, int rounds, class Begin, class Finish, class Reg, class... Regs>
[[gnu::always_inline]] inline void map_in_halves(std::uint64_t iterations, void* sink, Begin begin, Finish finish,
                                                 Reg first, Regs... others) {
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
  for (; iterations != 0; --iterations) unrolled<rounds>(step, first, others...);
  V::store(sink, finish(a, b));
}

}  // namespace
}  // namespace gable::isa
