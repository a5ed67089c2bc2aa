#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace gable::emulated {

/// A type of elements or sums of matrix products, as its bits are laid out.
struct NumberFormat {
  std::string name;
  int bits, exponent_bits = 0, fraction_bits = 0;  ///< no exponent: a whole number

  /// A small whole number.
  std::uint64_t encode(std::int64_t number) const {
    if (exponent_bits == 0) return static_cast<std::uint64_t>(number) & ((std::uint64_t{1} << bits) - 1);
    if (number == 0) return 0;
    int exponent = 0;  // number = fraction x 2^exponent, fraction from 0.5 to 1
    const double fraction = std::frexp(std::abs(static_cast<double>(number)), &exponent);
    const auto biased = static_cast<std::uint64_t>(exponent - 1 + (1 << (exponent_bits - 1)) - 1);
    const double kept = std::ldexp(2 * fraction - 1, fraction_bits);
    if (kept != std::floor(kept)) throw std::logic_error("a number that the test's format does not hold");
    const int unused = bits - 1 - exponent_bits - fraction_bits;  // tf32: the lower bits, which are not read
    const std::uint64_t magnitude = biased << fraction_bits | static_cast<std::uint64_t>(kept);
    return (std::uint64_t{number < 0} << (exponent_bits + fraction_bits) | magnitude) << unused;
  }
};

inline NumberFormat number_format(const std::string& name) {
  for (const NumberFormat& format :
       {NumberFormat{"f16", 16, 5, 10}, NumberFormat{"bf16", 16, 8, 7}, NumberFormat{"tf32", 32, 8, 10},
        NumberFormat{"f32", 32, 8, 23}, NumberFormat{"f64", 64, 11, 52}, NumberFormat{"e4m3", 8, 4, 3},
        NumberFormat{"e5m2", 8, 5, 2}, NumberFormat{"s32", 32}, NumberFormat{"s8", 8}, NumberFormat{"s4", 4}}) {
    if (format.name == name) return format;
  }
  throw std::logic_error("no number format " + name);
}

/// A matrix of whole numbers.
struct WholeMatrix {
  int rows, columns;
  std::vector<std::int64_t> numbers;

  WholeMatrix(int row_count, int column_count)
      : rows(row_count), columns(column_count), numbers(static_cast<std::size_t>(row_count * column_count)) {}
  /// Numbers from -4 to 4, which every format holds.
  static WholeMatrix random(int rows, int columns, std::uint32_t seed) {
    WholeMatrix matrix(rows, columns);
    std::mt19937 generator(seed);
    for (auto& number : matrix.numbers) number = static_cast<std::int64_t>(generator() % 9) - 4;
    return matrix;
  }

  std::int64_t& at(int row, int column) { return numbers[static_cast<std::size_t>(row * columns + column)]; }
  std::int64_t at(int row, int column) const { return numbers[static_cast<std::size_t>(row * columns + column)]; }
};

/// addend + left x right.
inline WholeMatrix multiplied(const WholeMatrix& left, const WholeMatrix& right, const WholeMatrix& addend) {
  WholeMatrix sum = addend;
  for (int r = 0; r < sum.rows; ++r) {
    for (int c = 0; c < sum.columns; ++c) {
      for (int k = 0; k < left.columns; ++k) sum.at(r, c) += left.at(r, k) * right.at(k, c);
    }
  }
  return sum;
}

}  // namespace gable::emulated
