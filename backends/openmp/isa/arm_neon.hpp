#pragma once
// What the neon files share; see loops.hpp for the rules.
#include <arm_neon.h>

#include "backends/openmp/isa/rows.hpp"
#include "backends/openmp/isa/vector.hpp"

namespace gable::isa {
namespace {

/// x <- x + a b and x <- x - a b in turn: NEON's fmla overwrites the addend, so that x x + c would cost a move. Two
/// pairs a, b keep the multipliers' inputs toggling.
template <class V, int rounds, std::size_t width>
void fmla_chains(std::uint64_t iterations, const void* operands, void* sink) {
  using Reg = typename V::Reg;
  const Reg a0 = V::load(addend_at(operands, 0, 16)), b0 = V::load(addend_at(operands, 1, 16));
  const Reg a1 = V::load(addend_at(operands, 2, 16)), b1 = V::load(addend_at(operands, 3, 16));
  bool odd = false, odd_too = false;
  alternating_chains<V, rounds, width, 0>(
      iterations, operands, sink,
      [&](Reg & x) __attribute__((always_inline)) {
        x = odd ? V::fma(a1, b1, x) : V::fma(a0, b0, x);
        odd = !odd && width > 1;
      },
      [&](Reg & x) __attribute__((always_inline)) {
        x = odd_too ? V::fnma(a1, b1, x) : V::fnma(a0, b0, x);
        odd_too = !odd_too && width > 1;
      });
}

template <class V, std::size_t width>
constexpr ComputeKernel fmla_row() {
  return row<V>("", "fmla+fmls", 2 * width, 1, fmla_chains<V, 1, width>);
}
/// With the one chain as its clock chain, which runs through "fmla+fmls" half as often as it has instructions.
template <class V>
constexpr ComputeKernel fmla_clocked(ComputeKernel made) {
  return clocked(made, fmla_chains<V, chain_length / 2, 1>, chain_length / 2);
}
template <class V>
constexpr ComputeKernel fmla_no_ilp_row() {
  return fmla_clocked<V>(row<V>("no_ilp", "fmla+fmls", chain_length, 1, fmla_chains<V, chain_length / 2, 1>));
}

}  // namespace
}  // namespace gable::isa
