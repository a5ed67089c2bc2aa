#pragma once
// Rows of the compute tables, each made of its kernel's template arguments, so that what a row claims is what the loop
// does. V says unit, dtype, accumulate and the `operations` of one step on a register (SVE: on 128 bits of it).
#include "backends/openmp/isa/loops.hpp"

namespace gable::isa {
namespace {

using ComputeLoop = void(std::uint64_t iterations, const void* operands, void* sink);

/// `steps` per iteration, each of so many `instructions`.
template <class V>
constexpr ComputeKernel row(const char* variant, const char* instruction, double steps, double instructions,
                            ComputeLoop* run) {
  return {.unit = V::unit,
          .dtype = V::dtype,
          .accumulate = V::accumulate,
          .variant = variant,
          .instruction = instruction,
          .operations = steps * V::operations,
          .instructions = steps * instructions,
          .run = run};
}

/// The row with `chain` as its clock chain, which runs through the row's instructions `length` times per iteration.
constexpr ComputeKernel clocked(ComputeKernel row, ComputeLoop* chain, double length = chain_length) {
  row.chain = chain;
  row.chain_length = length;
  return row;
}

template <class V, std::size_t width>
constexpr ComputeKernel fma_row(const char* instruction) {
  return clocked(row<V>("", instruction, 2 * width, 1, fma_chains<V, 2, width>), fma_chains<V, chain_length, 1>);
}
template <class V>
constexpr ComputeKernel fma_no_ilp_row(const char* instruction) {
  constexpr auto chain = fma_chains<V, chain_length, 1>;
  return clocked(row<V>("no_ilp", instruction, chain_length, 1, chain), chain);
}
template <class V, std::size_t width>
constexpr ComputeKernel mul_add_row(const char* variant, const char* instructions) {
  return row<V>(variant, instructions, 2 * width, 2, mul_add_chains<V, 2, width>);
}
/// The additions are half an FMA's operations each.
template <class V, int fma_rounds, std::size_t fma_width, int sub_rounds, std::size_t sub_width>
constexpr ComputeKernel fma_add_row(const char* instructions) {
  constexpr double fmas = fma_rounds * fma_width, subs = sub_rounds * sub_width;
  auto made =
      row<V>("fma_add", instructions, fmas + subs, 1, fma_add_chains<V, fma_rounds, fma_width, sub_rounds, sub_width>);
  made.operations -= subs * V::operations / 2;
  return made;
}
/// For steps of one instruction.
template <class V, std::size_t width>
constexpr ComputeKernel product_row(const char* instruction) {
  return row<V>("", instruction, 2 * width, 1, product_chains<V, 2, width>);
}
template <class V, std::size_t width>
constexpr ComputeKernel signed_product_row(const char* instruction) {
  return row<V>("", instruction, 2 * width, 1, signed_product_chains<V, width>);
}
/// Of elements instead of flop, which are two an element.
constexpr ComputeKernel counted_in_elements(ComputeKernel row, const char* unit) {
  row.unit = unit;
  row.operations /= 2;
  return row;
}
template <class V>
constexpr ComputeKernel divide_row(const char* instruction) {
  constexpr std::size_t inputs = 4;
  return counted_in_elements(row<V>("", instruction, map_rounds * inputs, 1, divide<V, inputs>), "divide");
}
/// V converts a register of elements there and back.
template <class V, std::size_t inputs>
constexpr ComputeKernel convert_row(const char* instructions, double count) {
  return row<V>("", instructions, map_rounds * inputs, count, convert<V, inputs>);
}

}  // namespace
}  // namespace gable::isa
