// Matrices of one warp: ldmatrix, which loads 8 x 8 matrices of 2-byte elements from shared memory into registers, and
// mma.sync, which multiplies matrices in registers. Layouts: PTX ISA, "Warp-level Matrix Instructions".
#include <algorithm>
#include <array>
#include <cstring>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/access.hpp"
#include "tests/gpu/emulated/machine/matrix_product.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"

namespace gable::emulated {
namespace {

struct MatrixLoad {
  std::vector<Register> registers;  ///< one for each matrix
  Address address;
  bool transposed;
};

/// Lanes 8 m to 8 m + 7 name the rows of matrix m. A lane holds elements (row, column) and (row, column + 1) of row
/// lane / 4 and column 2 (lane % 4); transposed, what it holds is of the transposed matrix.
void load_matrices(Warp& warp, const MatrixLoad& load) {
  const LaneValues rows = addresses_of(warp, load.address, Space::shared);
  const std::size_t down = load.transposed ? 1 : 8, right = load.transposed ? 8 : 1;
  for (std::size_t m = 0; m < load.registers.size(); ++m) {
    std::array<std::uint16_t, 64> elements;
    for (std::size_t r = 0; r < 8; ++r) {
      std::memcpy(&elements[8 * r], read_by_all(warp, warp.block->shared.offset_of(rows[8 * m + r]), 16), 16);
    }
    std::uint64_t* const values = warp.values(load.registers[m]);
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      const std::uint16_t* const first = &elements[lane / 4 * down + lane % 4 * 2 * right];
      values[lane] = first[0] | std::uint32_t{first[right]} << 16;
    }
  }
}

void decode_load(const Statement& statement, Operands& operands, Instruction& to) {
  if (!statement.has("m8n8") || !statement.has("b16") || space_of(statement) != Space::shared) {
    throw EmulationError("ldmatrix of this form is not supported");
  }
  const MatrixLoad load{operands.values(statement.operand(0)), operands.address(statement.operand(1)),
                        statement.has("trans")};
  if (load.registers.size() != (statement.has("x4") ? 4 : statement.has("x2") ? 2 : 1)) {
    throw EmulationError("not as many registers as matrices");
  }
  to.destinations = load.registers;
  to.sources = {load.address.base};
  to.execute = [load](Warp& warp, LaneMask lanes) {
    if (lanes != all_lanes) throw EmulationError("ldmatrix needs all lanes of a warp");
    load_matrices(warp, load);
  };
}

struct WarpProduct {
  MatrixProduct product;
  std::vector<Register> result, left, right, addend;
};

constexpr std::size_t most_depth = 64;

void multiply_in_registers(Warp& warp, const WarpProduct& it) {
  const MatrixElement& element = *it.product.element;
  const auto width = static_cast<std::size_t>(4 * element.per_register());
  std::array<double, 16 * most_depth> left;
  Eight right[most_depth];
  std::array<double, warp_size * 8> numbers;  // [8][width]
  std::vector<const std::uint64_t*> of_left;
  for (const Register number : it.left) of_left.push_back(warp.values(number));
  read_left(it.product, it.product.rows, of_left, left.data());
  for (std::size_t j = 0; j < it.right.size(); ++j) {
    read_register(element, warp.values(it.right[j]), numbers.data());
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t c = 0; c < 8; ++c) right[j * width + k][c] = numbers[c * width + k];
    }
  }
  std::array<std::uint64_t*, 4> addend{}, result{};
  for (std::size_t i = 0; i < it.result.size(); ++i) {
    addend[i] = warp.values(it.addend[i]);
    result[i] = warp.values(it.result[i]);
  }
  multiply(it.product, it.product.rows, left.data(), right, addend.data(), result.data());
}

void check_shape(const WarpProduct& it) {
  const auto& [rows, columns, depth, element, sum] = it.product;
  if (columns != 8 || (rows != 16 && (rows != 8 || element->bits != 64)) || depth > static_cast<int>(most_depth)) {
    throw EmulationError("mma of this shape is not supported");
  }
  const auto registers = [](int elements, int per) { return static_cast<std::size_t>(elements / warp_size / per); };
  const std::size_t sums = registers(rows * 8, sum == Sum::f16 ? 2 : 1);
  if (it.left.size() != registers(rows * depth, element->per_register()) ||
      it.right.size() != registers(depth * 8, element->per_register()) || it.result.size() != sums ||
      it.addend.size() != sums) {
    throw EmulationError("mma with another number of registers than its shape has");
  }
}

void decode_mma(const Statement& statement, Operands& operands, Instruction& to) {
  const auto values = [&](std::size_t i) { return operands.values(statement.operand(i)); };
  const WarpProduct it{read_product(statement), values(0), values(1), values(2), values(3)};
  check_shape(it);
  to.destinations = it.result;
  for (const auto* list : {&it.left, &it.right, &it.addend}) {
    to.sources.insert(to.sources.end(), list->begin(), list->end());
  }
  to.execute = [it](Warp& warp, LaneMask lanes) {
    if (lanes != all_lanes) throw EmulationError("mma.sync needs all lanes of a warp");
    multiply_in_registers(warp, it);
  };
}

}  // namespace

bool decode_matrix(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name != "ldmatrix" && statement.name != "mma") return false;
  (statement.name == "mma" ? decode_mma : decode_load)(statement, operands, to);
  return true;
}

}  // namespace gable::emulated
