#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/gpu/emulated/ptx/statement.hpp"

namespace gable::emulated {

/// A type of elements that matrix instructions multiply. Products of two of them are exact in fp64, those of f64 apart.
struct MatrixElement {
  std::string_view name;
  int bits;
  bool is_integer;
  void (*decode)(const std::byte* from, int count, double* to);  ///< elements side by side

  int per_register() const { return bits >= 32 ? 1 : 32 / bits; }
};

/// A type of sums of products.
enum class Sum : unsigned char { f16, f32, f64, s32 };

/// What mma and wgmma say of themselves.
struct MatrixProduct {
  int rows = 0, columns = 0, depth = 0;
  const MatrixElement* element = nullptr;
  Sum sum = Sum::f32;
};

/// Throws EmulationError for a form that is not there.
MatrixProduct read_product(const Statement& statement);

/// The rows of A in registers of a warp, given by their 32 values each, to left[row * depth + k]: they go through the
/// rows first, eight by eight, then along the depth (PTX ISA, "Matrix Fragments for mma", of wgmma too).
void read_left(const MatrixProduct& product, int rows, const std::vector<const std::uint64_t*>& registers,
               double* left);
/// The elements in a register of A or B: those of four lanes side by side are of one row of A or column of B.
void read_register(const MatrixElement& element, const std::uint64_t* values, double* to);

/// A row of B or D.
using Eight = double[8];

/// D = A B + C for eight columns of B and 8 or 16 rows of A: left[row * depth + k], right[k][column]. `result` and
/// `addend` are registers of C and D (PTX ISA, "Matrix Fragments for mma"); without `addend` C is 0. Sums are formed in
/// fp64 and rounded once: hardware keeps fewer bits, in an order of its own.
void multiply(const MatrixProduct& product, int rows, const double* left, const Eight* right,
              const std::uint64_t* const* addend, std::uint64_t* const* result);

}  // namespace gable::emulated
