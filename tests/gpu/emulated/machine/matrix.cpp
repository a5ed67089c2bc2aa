// Matrices of one warp: ldmatrix and stmatrix, which move 8 x 8 matrices of 2-byte elements between shared memory and
// registers, and mma.sync, which multiplies matrices in registers. Layouts: PTX ISA, "Warp-level Matrix Instructions".
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/matrix_element.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"

namespace gable::emulated {
namespace {

void need_all_lanes(LaneMask lanes, const char* instruction) {
  if (lanes != all_lanes) throw EmulationError(std::string(instruction) + " needs all lanes of a warp");
}

/// Throws EmulationError for a modifier that is not in the list.
void need_modifiers(const Statement& statement, const std::set<std::string>& known) {
  for (const std::string& modifier : statement.modifiers) {
    if (!known.contains(modifier)) throw EmulationError(statement.name + " with ." + modifier + " is not supported");
  }
}

struct MatrixMove {
  std::vector<Register> registers;  ///< one for each matrix
  Address address;
  bool shared, transposed, is_load;
};

/// Lanes 8 m to 8 m + 7 name the rows of matrix m. A lane holds elements (row, column) and (row, column + 1) of row
/// lane / 4 and column 2 (lane % 4); transposed, what it holds is of the transposed matrix.
void move_matrices(Warp& warp, const MatrixMove& move) {
  std::array<std::uint64_t, warp_size> bases{};  // the register may be one of those that are loaded
  std::copy_n(warp.values(move.address.base), warp_size, bases.begin());
  for (std::size_t m = 0; m < move.registers.size(); ++m) {
    std::array<std::array<std::uint16_t, 8>, 8> rows{};
    std::array<std::byte*, 8> places{};
    for (std::size_t r = 0; r < 8; ++r) {
      std::uint64_t address = bases[8 * m + r] + static_cast<std::uint64_t>(move.address.offset);
      if (move.shared) address = static_cast<std::uint32_t>(address);
      places[r] = access(warp, address, sizeof rows[r], move.shared,
                         move.is_load ? MemoryAccess::Kind::read : MemoryAccess::Kind::write);
      if (move.is_load) std::memcpy(rows[r].data(), places[r], sizeof rows[r]);
    }
    std::uint64_t* values = warp.values(move.registers[m]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      const std::size_t row = lane / 4, column = 2 * (lane % 4);
      std::uint16_t& first = move.transposed ? rows[column][row] : rows[row][column];
      std::uint16_t& second = move.transposed ? rows[column + 1][row] : rows[row][column + 1];
      if (move.is_load) {
        values[lane] = first | std::uint32_t{second} << 16;
      } else {
        first = static_cast<std::uint16_t>(values[lane]);
        second = static_cast<std::uint16_t>(values[lane] >> 16);
      }
    }
    for (std::size_t r = 0; r < 8 && !move.is_load; ++r) std::memcpy(places[r], rows[r].data(), sizeof rows[r]);
  }
}

void decode_move_of_matrices(const Statement& statement, Operands& operands, Instruction& to) {
  need_modifiers(statement, {"sync", "aligned", "m8n8", "x1", "x2", "x4", "trans", "shared", "shared::cta", "b16"});
  MatrixMove move{};
  move.is_load = statement.name == "ldmatrix";
  move.registers = operands.values(statement.operand(move.is_load ? 0 : 1));
  move.address = operands.address(statement.operand(move.is_load ? 1 : 0));
  move.shared = statement.has("shared") || statement.has("shared::cta");
  move.transposed = statement.has("trans");
  const std::size_t count = statement.has("x4") ? 4 : statement.has("x2") ? 2 : 1;
  if (move.registers.size() != count) throw EmulationError("not as many registers as matrices");
  (move.is_load ? to.destinations : to.sources) = move.registers;
  to.sources.push_back(move.address.base);
  to.execute = [move](Warp& warp, LaneMask lanes) {
    need_all_lanes(lanes, move.is_load ? "ldmatrix" : "stmatrix");
    move_matrices(warp, move);
  };
}

struct Product {
  int rows = 0, columns = 0, depth = 0;
  Sum sum = Sum::f32;
  const MatrixElement *left_type = nullptr, *right_type = nullptr;
  std::vector<Register> result, left, right, addend;
  bool saturate = false;
};

std::vector<const std::uint64_t*> values_of(Warp& warp, const std::vector<Register>& registers) {
  std::vector<const std::uint64_t*> values;
  for (const Register one : registers) values.push_back(warp.values(one));
  return values;
}

/// D = A B + C. Sums are formed in fp64 and rounded once: hardware keeps fewer bits, in an order of its own.
void multiply(Warp& warp, const Product& product) {
  const int rows = product.rows, depth = product.depth, elements = rows / 4;
  const auto left = left_fragment(*product.left_type, values_of(warp, product.left), rows, depth);
  const auto right = right_fragment(*product.right_type, values_of(warp, product.right), depth);
  std::array<std::array<double, 8>, 16> sums{};
  std::vector<std::uint64_t*> addend, result;
  for (const Register one : product.addend) addend.push_back(warp.values(one));
  for (const Register one : product.result) result.push_back(warp.values(one));
  const auto at = [&](int lane, int i) -> double& {
    return sums[static_cast<std::size_t>(sum_row(lane, i))][static_cast<std::size_t>(sum_column(lane, i))];
  };
  for (int lane = 0; lane < warp_size; ++lane) {
    for (int i = 0; i < elements; ++i) at(lane, i) = get_sum(product.sum, addend.data(), i, lane);
  }
  const bool fused = product.sum == Sum::f64;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(depth); ++k) {
      const double a = left[r * static_cast<std::size_t>(depth) + k];
      const double* b = &right[k * 8];
      for (std::size_t c = 0; c < 8; ++c) sums[r][c] = fused ? std::fma(a, b[c], sums[r][c]) : sums[r][c] + a * b[c];
    }
  }
  for (int lane = 0; lane < warp_size; ++lane) {
    for (int i = 0; i < elements; ++i) {
      set_sum(product.sum, result.data(), i, lane, at(lane, i), product.saturate);
    }
  }
}

/// Whether the ISA has the shape for the types. (Of fp16, m8n8k4 is another kind of instruction.)
bool has_shape(const Product& product) {
  const MatrixElement &left = *product.left_type, &right = *product.right_type;
  const bool types_fit =
      left.bits > 8 ? &left == &right : left.bits == right.bits && left.is_integer == right.is_integer;
  if (!types_fit || left.is_integer != (product.sum == Sum::s32) || (left.bits == 64) != (product.sum == Sum::f64)) {
    return false;
  }
  const int depth = product.depth, bits = depth * left.bits;
  if (product.rows == 8) return left.bits == 64 ? depth == 4 : left.is_integer && bits == 128;
  if (product.rows != 16) return false;
  return left.bits == 64 ? depth == 4 || depth == 8 || depth == 16 : bits == 128 || bits == 256;
}

void check_shape(const Product& product) {
  if (product.columns != 8 || !has_shape(product)) {
    throw EmulationError("mma of this shape and of these types is not supported");
  }
  const auto registers = [](int elements, int per) { return static_cast<std::size_t>(elements / warp_size / per); };
  const int per = product.left_type->per_register();
  const std::size_t sums = registers(product.rows * 8, product.sum == Sum::f16 ? 2 : 1);
  if (product.left.size() != registers(product.rows * product.depth, per) ||
      product.right.size() != registers(product.depth * 8, per) || product.result.size() != sums ||
      product.addend.size() != sums) {
    throw EmulationError("mma with another number of registers than its shape has");
  }
}

void decode_product(const Statement& statement, Operands& operands, Instruction& to) {
  Product product;
  std::vector<std::string> types;
  for (const std::string& modifier : statement.modifiers) {
    if (std::sscanf(modifier.c_str(), "m%dn%dk%d", &product.rows, &product.columns, &product.depth) == 3) continue;
    if (modifier == "sync" || modifier == "aligned" || modifier == "row" || modifier == "col") continue;
    if (modifier == "satfinite") {
      product.saturate = true;
    } else {
      types.push_back(modifier);
    }
  }
  if (types.size() != 4 || types[0] != types[3] || !statement.has("row") || !statement.has("col")) {
    throw EmulationError("mma of this form is not supported");
  }
  product.sum = sum_of(types[0]);
  product.left_type = matrix_element(types[1]);
  product.right_type = matrix_element(types[2]);
  if (product.left_type == nullptr || product.right_type == nullptr) {
    throw EmulationError("mma of " + types[1] + " and " + types[2] + " is not supported");
  }
  product.result = operands.values(statement.operand(0));
  product.left = operands.values(statement.operand(1));
  product.right = operands.values(statement.operand(2));
  product.addend = operands.values(statement.operand(3));
  check_shape(product);
  to.destinations = product.result;
  for (const auto* list : {&product.left, &product.right, &product.addend}) {
    to.sources.insert(to.sources.end(), list->begin(), list->end());
  }
  to.execute = [product](Warp& warp, LaneMask lanes) {
    need_all_lanes(lanes, "mma.sync");
    multiply(warp, product);
  };
}

}  // namespace

bool decode_matrix(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name == "ldmatrix" || statement.name == "stmatrix") {
    decode_move_of_matrices(statement, operands, to);
    return true;
  }
  if (statement.name != "mma") return false;
  decode_product(statement, operands, to);
  return true;
}

}  // namespace gable::emulated
