#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/gpu/emulated/machine/bits.hpp"

namespace gable::emulated {

class Warp;

/// A type of elements that matrix instructions multiply. Their numbers and the products of two of them are exact in
/// fp64, those of fp64 apart.
struct MatrixElement {
  std::string_view name;
  int bits;
  bool is_integer;
  std::vector<float> numbers;  ///< of all patterns of up to 16 bits; longer types have none

  double number(std::uint64_t pattern) const {
    if (!numbers.empty()) return static_cast<double>(numbers[pattern & (numbers.size() - 1)]);
    if (bits == 64) return value_of<double>(pattern);
    return static_cast<double>(value_of<float>(pattern & 0xffffe000U));  // tf32: the lower 13 bits are not read
  }
  int per_register() const { return bits >= 32 ? 1 : 32 / bits; }
};

/// f16, bf16, tf32, f64, s8, u8, s4, u4, e4m3, e5m2. Null if it is none of them.
const MatrixElement* matrix_element(std::string_view name);

/// A type of accumulators of matrix instructions.
enum class Sum : unsigned char { f16, f32, f64, s32 };
/// Throws EmulationError if it is none of them.
Sum sum_of(std::string_view name);

/// Sum `element` of a lane, and its new value. Two of fp16 share a register; `registers` are those of the accumulator.
double get_sum(Sum sum, std::uint64_t* const* registers, int element, int lane);
void set_sum(Sum sum, std::uint64_t* const* registers, int element, int lane, double value, bool saturate);

/// Where an element of a lane lies in an accumulator of 16 rows or 8 (PTX ISA, "Matrix Fragments for mma", C and D).
constexpr int sum_row(int lane, int element) { return lane / 4 + 8 * (element / 2 % 2); }
constexpr int sum_column(int lane, int element) { return 8 * (element / 4) + 2 * (lane % 4) + element % 2; }

/// A of 16 or 8 rows by `depth` out of registers: number of row r and depth k at [r * depth + k].
std::vector<double> left_fragment(const MatrixElement& type, const std::vector<const std::uint64_t*>& registers,
                                  int rows, int depth);
/// B of `depth` by 8 columns out of registers: number of depth k and column c at [k * 8 + c].
std::vector<double> right_fragment(const MatrixElement& type, const std::vector<const std::uint64_t*>& registers,
                                   int depth);

}  // namespace gable::emulated
