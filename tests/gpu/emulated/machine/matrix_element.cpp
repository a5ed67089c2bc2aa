#include "tests/gpu/emulated/machine/matrix_element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"

namespace gable::emulated {
namespace {

template <class Number>
MatrixElement of_patterns(std::string_view name, int bits, bool is_integer, Number number) {
  MatrixElement element{name, bits, is_integer, std::vector<float>(std::size_t{1} << bits)};
  for (std::size_t i = 0; i < element.numbers.size(); ++i) {
    element.numbers[i] = static_cast<float>(number(static_cast<std::uint32_t>(i)));
  }
  return element;
}

/// A whole number in two's complement.
double signed_number(std::uint32_t pattern, int bits) {
  const int value = static_cast<int>(pattern);
  return value < 1 << (bits - 1) ? value : value - (1 << bits);
}

std::vector<MatrixElement> all_elements() {
  return {of_patterns("f16", 16, false, half_value),
          of_patterns("bf16", 16, false, bfloat_value),
          {"tf32", 32, false, {}},
          {"f64", 64, false, {}},
          of_patterns("s8", 8, true, [](std::uint32_t pattern) { return signed_number(pattern, 8); }),
          of_patterns("u8", 8, true, [](std::uint32_t pattern) { return pattern; }),
          of_patterns("s4", 4, true, [](std::uint32_t pattern) { return signed_number(pattern, 4); }),
          of_patterns("u4", 4, true, [](std::uint32_t pattern) { return pattern; }),
          of_patterns("e4m3", 8, false, e4m3_value),
          of_patterns("e5m2", 8, false, e5m2_value)};
}

/// A sum of whole numbers, exact in fp64, as 32 bits: it wraps around or, if it saturates, stays in range.
std::uint64_t whole_bits(double value, bool saturate) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (saturate) value = std::clamp<double>(value, Limits::min(), Limits::max());
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

}  // namespace

const MatrixElement* matrix_element(std::string_view name) {
  static const std::vector<MatrixElement> elements = all_elements();
  const auto found = std::find_if(elements.begin(), elements.end(), [&](const auto& one) { return one.name == name; });
  return found == elements.end() ? nullptr : &*found;
}

Sum sum_of(std::string_view name) {
  if (name == "f16") return Sum::f16;
  if (name == "f32") return Sum::f32;
  if (name == "f64") return Sum::f64;
  if (name == "s32") return Sum::s32;
  throw EmulationError("a matrix product has no accumulators of type " + std::string(name));
}

double get_sum(Sum sum, std::uint64_t* const* registers, int element, int lane) {
  const std::uint64_t bits = registers[sum == Sum::f16 ? element / 2 : element][lane];
  switch (sum) {
    case Sum::f16:
      return half_value(static_cast<std::uint32_t>(bits >> 16 * (element % 2) & 0xffffU));
    case Sum::f32:
      return static_cast<double>(value_of<float>(bits));
    case Sum::f64:
      return value_of<double>(bits);
    case Sum::s32:
      return value_of<std::int32_t>(bits);
  }
  return 0;
}

void set_sum(Sum sum, std::uint64_t* const* registers, int element, int lane, double value, bool saturate) {
  std::uint64_t& bits = registers[sum == Sum::f16 ? element / 2 : element][lane];
  switch (sum) {
    case Sum::f16: {
      const int shift = 16 * (element % 2);
      bits = (bits & (0xffff0000U >> shift)) | std::uint64_t{half_bits(value)} << shift;
      return;
    }
    case Sum::f32:
      bits = bits_of(static_cast<float>(value));
      return;
    case Sum::f64:
      bits = bits_of(value);
      return;
    case Sum::s32:
      bits = whole_bits(value, saturate);
      return;
  }
}

// PTX ISA, "Matrix Fragments for mma": a lane has consecutive elements of one row of A or column of B in a register.
// The registers of A go through rows first: lane / 4 and, of 16 rows, lane / 4 + 8; those of four lanes side by side
// go on along the depth.
std::vector<double> left_fragment(const MatrixElement& type, const std::vector<const std::uint64_t*>& registers,
                                  int rows, int depth) {
  std::vector<double> numbers(static_cast<std::size_t>(rows * depth));
  const int per = type.per_register(), blocks = rows / 8;
  for (int j = 0; j < static_cast<int>(registers.size()); ++j) {
    const std::uint64_t* lanes = registers[static_cast<std::size_t>(j)];
    for (int lane = 0; lane < warp_size; ++lane) {
      const int row = lane / 4 + 8 * (j % blocks), k = per * (lane % 4 + 4 * (j / blocks));
      double* to = &numbers[static_cast<std::size_t>(row * depth + k)];
      for (int i = 0; i < per; ++i) to[i] = type.number(lanes[lane] >> type.bits * i);
    }
  }
  return numbers;
}

std::vector<double> right_fragment(const MatrixElement& type, const std::vector<const std::uint64_t*>& registers,
                                   int depth) {
  std::vector<double> numbers(static_cast<std::size_t>(depth * 8));
  const int per = type.per_register();
  for (int j = 0; j < static_cast<int>(registers.size()); ++j) {
    const std::uint64_t* lanes = registers[static_cast<std::size_t>(j)];
    for (int lane = 0; lane < warp_size; ++lane) {
      const int column = lane / 4, k = per * (lane % 4 + 4 * j);
      for (int i = 0; i < per; ++i) {
        numbers[static_cast<std::size_t>((k + i) * 8 + column)] = type.number(lanes[lane] >> type.bits * i);
      }
    }
  }
  return numbers;
}

}  // namespace gable::emulated
