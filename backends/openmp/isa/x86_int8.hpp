#pragma once
// int8 without a dot-product instruction, for AVX2 and AVX-512; see loops.hpp for the rules.
#include "backends/openmp/isa/rows.hpp"
#include "backends/openmp/isa/vector.hpp"

namespace gable::isa {
namespace {

/// Unsigned times signed in pairs (vpmaddubsw, saturating), pairs of those (vpmaddwd with ones), added to int32 sums:
/// three instructions. Volatile assembly, because as intrinsics the product would be hoisted and the sums reassociated.
template <class V, std::size_t width>
void int8_chains(std::uint64_t iterations, const void* operands, void* sink) {
  using Reg = typename V::Reg;
  const Reg ones = V::set(0x10001), b = V::load(addend_at(operands, 0, V::bytes()));
  const Reg a = V::load(addend_at(operands, 1, V::bytes()));
  chains<V, 2, width>(
      iterations, operands, sink, [&](Reg & x) __attribute__((always_inline)) {
        Reg products;
        asm volatile("vpmaddubsw %3, %2, %1\n\tvpmaddwd %4, %1, %1\n\tvpaddd %1, %0, %0"
                     : "+v"(x), "=&v"(products)
                     : "v"(a), "v"(b), "v"(ones));
      });
}

template <class V, std::size_t width>
constexpr ComputeKernel int8_row() {
  return row<V>("", "vpmaddubsw+vpmaddwd+vpaddd", 2 * width, 3, int8_chains<V, width>);
}

}  // namespace
}  // namespace gable::isa
