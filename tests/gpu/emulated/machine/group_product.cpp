// wgmma: a warpgroup of four warps multiplies 64 rows of A by up to 256 columns of B; the operands lie in shared memory
// as descriptors say (A may be in registers), each warp holds 16 rows of the result. Layouts: PTX ISA, "Asynchronous
// Warpgroup Level Matrix Multiply-Accumulate Instructions", "Matrix Descriptor Format" and "Strides".
//
// A product takes effect as late as it may: when it is waited for. Its operands are checked when it begins and when it
// ends, so that what is written in between shows.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/matrix_element.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"

namespace gable::emulated {
namespace {

constexpr std::uint64_t segment = 16;  ///< bytes that no swizzle parts
constexpr int warp_rows = 16;

struct GroupProduct {
  int columns = 0, depth = 0;
  Sum sum = Sum::f32;
  const MatrixElement *left_type = nullptr, *right_type = nullptr;
  std::vector<Register> sums, left_registers;  ///< the latter empty if A is in shared memory
  Register left = 0, right = 0, add = 0;       ///< descriptors, and whether D is added to
  bool left_across = false, right_across = false, saturate = false;
  double sign = 1;  ///< of A times that of B
};

/// A part of an operand in shared memory: `rows` rows of A, or columns of B, from number `first` on.
struct SharedOperand {
  std::uint64_t start, leading, stride;  ///< bytes
  std::uint64_t width;                   ///< bytes that are swizzled together: 128, 64 or 32
  bool across;                           ///< elements side by side are of several rows, not of one
  int first, rows, depth;
  const MatrixElement* type;

  SharedOperand(std::uint64_t descriptor, const MatrixElement& element, bool is_across, int first_row, int row_count,
                int k)
      : start((descriptor & 0x3fffU) * 16),
        leading((descriptor >> 16 & 0x3fffU) * 16),
        stride((descriptor >> 32 & 0x3fffU) * 16),
        width(descriptor >> 62 == 0 ? 0 : 256U >> (descriptor >> 62)),
        across(is_across),
        first(first_row),
        rows(row_count),
        depth(k),
        type(&element) {
    constexpr std::uint64_t zeros = 0x3ff1c000c000c000U, base_offset = 0x000e000000000000U;
    if (width == 0) throw EmulationError("a matrix descriptor without a swizzle is not supported");
    if ((descriptor & base_offset) != 0) throw EmulationError("a base offset in a matrix descriptor is not supported");
    if ((descriptor & zeros) != 0) throw EmulationError("a matrix descriptor with bits that must be 0");
  }

  /// Calls each(offset in shared memory, row, depth) for every segment; row and depth, from 0 on, are those of its
  /// first element.
  template <class Each>
  void for_segments(Each&& each) const {
    const int bytes = type->bits / 8, per = static_cast<int>(segment) / bytes;
    const auto of_segment = [&](std::uint64_t offset, int row, int k) {
      const std::uint64_t place = start + offset;
      each(place ^ ((place >> 7 & (width / segment - 1)) * segment), row, k);
    };
    if (!across) {
      for (int r = 0; r < rows; ++r) {
        const auto row = static_cast<std::uint64_t>(first + r);
        for (int k = 0; k < depth; k += per) {
          of_segment(row / 8 * stride + row % 8 * width + static_cast<std::uint64_t>(k * bytes), r, k);
        }
      }
      return;
    }
    const auto block = width / static_cast<std::uint64_t>(bytes);  // rows side by side
    for (int k = 0; k < depth; ++k) {
      const auto line = static_cast<std::uint64_t>(k);
      for (int r = 0; r < rows; r += per) {
        const auto row = static_cast<std::uint64_t>(first + r);
        const std::uint64_t inside = row % block * static_cast<std::uint64_t>(bytes);
        of_segment(row / block * leading + line / 8 * stride + line % 8 * width + inside, r, k);
      }
    }
  }

  void check(Warp& warp) const {
    for_segments([&](std::uint64_t offset, int, int) {
      warp.block->shared.read_by_proxy(offset, segment, warp.index, warp.clock);
    });
  }

  /// Calls set(row, depth, number) for every element.
  template <class Set>
  void read(Warp& warp, Set&& set) const {
    const std::byte* memory = warp.block->shared.data();
    for_segments([&](std::uint64_t offset, int row, int k) {
      std::array<std::uint64_t, 2> words{};
      std::memcpy(words.data(), memory + offset, sizeof words);
      int step = 0;
      for (const std::uint64_t word : words) {
        for (int bit = 0; bit < 64; bit += type->bits, ++step) {
          set(across ? row + step : row, across ? k : k + step, static_cast<float>(type->number(word >> bit)));
        }
      }
    });
  }
};

/// What is known when a product begins.
struct Begun {
  std::shared_ptr<const GroupProduct> product;
  Warp* warp;
  Frame* frame;
  std::vector<SharedOperand> operands;  ///< B, then A if it is in shared memory
  bool add;
};

std::vector<std::uint64_t*> rows_of(const Begun& begun, const std::vector<Register>& registers) {
  std::vector<std::uint64_t*> rows;
  for (const Register one : registers)
    rows.push_back(&begun.frame->registers[static_cast<std::size_t>(one) * warp_size]);
  return rows;
}

/// The 16 rows of A of this warp: number of row r and depth k at [r * depth + k].
std::vector<float> read_left(const Begun& begun) {
  const GroupProduct& product = *begun.product;
  std::vector<float> left(static_cast<std::size_t>(warp_rows * product.depth));
  if (!product.left_registers.empty()) {
    const auto rows = rows_of(begun, product.left_registers);
    const auto numbers = left_fragment(*product.left_type, {rows.begin(), rows.end()}, warp_rows, product.depth);
    std::transform(numbers.begin(), numbers.end(), left.begin(), [](double x) { return static_cast<float>(x); });
  } else {
    begun.operands[1].read(*begun.warp, [&](int row, int k, float number) {
      left[static_cast<std::size_t>(row * product.depth + k)] = number;
    });
  }
  return left;
}

/// sums[r * columns + c], exact or in fp64.
std::vector<double> multiply(const Begun& begun) {
  const auto depth = static_cast<std::size_t>(begun.product->depth);
  const auto columns = static_cast<std::size_t>(begun.product->columns);
  const std::vector<float> left = read_left(begun);
  std::vector<float> right(depth * columns);
  begun.operands[0].read(*begun.warp, [&](int column, int k, float number) {
    right[static_cast<std::size_t>(k) * columns + static_cast<std::size_t>(column)] = number;
  });
  std::vector<double> sums(warp_rows * columns);
  for (std::size_t r = 0; r < warp_rows; ++r) {
    double* const to = &sums[r * columns];
    for (std::size_t k = 0; k < depth; ++k) {
      const auto a = static_cast<double>(left[r * depth + k]);
      const float* const b = &right[k * columns];
      for (std::size_t c = 0; c < columns; ++c) to[c] += a * static_cast<double>(b[c]);
    }
  }
  return sums;
}

/// The wait has come: D = A B, or D = A B + D.
void finish(const Begun& begun) {
  const GroupProduct& product = *begun.product;
  for (const SharedOperand& operand : begun.operands) operand.check(*begun.warp);
  const std::vector<double> products = multiply(begun);
  const auto registers = rows_of(begun, product.sums);
  for (int lane = 0; lane < warp_size; ++lane) {
    for (int i = 0; i < product.columns / 2; ++i) {
      double value =
          product.sign * products[static_cast<std::size_t>(sum_row(lane, i) * product.columns + sum_column(lane, i))];
      if (begun.add) value += get_sum(product.sum, registers.data(), i, lane);
      set_sum(product.sum, registers.data(), i, lane, value, product.saturate);
    }
  }
  for (const Register one : product.sums) --begun.frame->in_flight[static_cast<std::size_t>(one)];
}

/// The value of a register that has to be the same in all lanes.
std::uint64_t uniform(Warp& warp, Register number, const char* what) {
  const std::uint64_t* values = warp.values(number);
  if (std::any_of(values, values + warp_size, [&](std::uint64_t value) { return value != values[0]; })) {
    throw EmulationError(std::string("lanes give wgmma different ") + what);
  }
  return values[0];
}

void begin(Warp& warp, const std::shared_ptr<const GroupProduct>& shared_product) {
  const GroupProduct& product = *shared_product;
  const auto group = static_cast<std::uint32_t>(warp.index / 4 * 4);
  if (warp.block->threads < (group + 4) * warp_size) throw EmulationError("wgmma needs a group of four warps");
  if (warp.wgmma_fenced_at == 0) throw EmulationError("wgmma without a wgmma.fence before it");
  Begun begun{shared_product, &warp, warp.frame, {}, uniform(warp, product.add, "predicates") != 0};
  begun.operands.emplace_back(uniform(warp, product.right, "descriptors"), *product.right_type, product.right_across, 0,
                              product.columns, product.depth);
  if (product.left_registers.empty()) {
    begun.operands.emplace_back(uniform(warp, product.left, "descriptors"), *product.left_type, product.left_across,
                                warp_rows * (warp.index % 4), warp_rows, product.depth);
  }
  for (const Register one : product.left_registers) {
    if (warp.frame->written_at[static_cast<std::size_t>(one)] > warp.wgmma_fenced_at) {
      throw EmulationError("wgmma reads a register of A that was written after the last wgmma.fence");
    }
  }
  for (const SharedOperand& operand : begun.operands) operand.check(warp);
  for (const Register one : product.sums) ++warp.frame->in_flight[static_cast<std::size_t>(one)];
  warp.open_products.emplace_back([begun = std::move(begun)] { finish(begun); });
}

int immediate(const std::string& text) {
  const auto value = literal(text);
  if (!value) throw EmulationError("an operand of wgmma that has to be a number: " + text);
  return static_cast<int>(*value);
}

/// What stands behind D, A, B and scale-d: signs of A and B, and whether A and B lie across.
void read_immediates(const Statement& statement, GroupProduct& product) {
  const bool has_sign = !product.left_type->is_integer, has_across = product.left_type->bits == 16;
  const bool left_in_memory = product.left_registers.empty();
  const std::size_t expected = 4U + (has_sign ? 2U : 0U) + (has_across ? (left_in_memory ? 2U : 1U) : 0U);
  if (statement.operands.size() != expected) throw EmulationError("wgmma with another number of operands than it has");
  for (std::size_t i = 4; has_sign && i < 6; ++i) {
    const int sign = immediate(statement.operand(i));
    if (sign != 1 && sign != -1) throw EmulationError("wgmma scales an operand by neither 1 nor -1");
    product.sign *= sign;
  }
  if (!has_across) return;
  if (left_in_memory) product.left_across = immediate(statement.operand(6)) != 0;
  product.right_across = immediate(statement.operand(expected - 1)) != 0;
}

void read_types(const Statement& statement, GroupProduct& product) {
  std::vector<std::string> types;
  int rows = 0;
  for (const std::string& modifier : statement.modifiers) {
    if (std::sscanf(modifier.c_str(), "m%dn%dk%d", &rows, &product.columns, &product.depth) == 3) continue;
    if (modifier == "mma_async" || modifier == "sync" || modifier == "aligned") continue;
    if (modifier == "satfinite") {
      product.saturate = true;
    } else {
      types.push_back(modifier);
    }
  }
  if (types.size() != 3) throw EmulationError("wgmma of this form is not supported");
  product.sum = sum_of(types[0]);
  product.left_type = matrix_element(types[1]);
  product.right_type = matrix_element(types[2]);
  const MatrixElement *left = product.left_type, *right = product.right_type;
  if (left == nullptr || right == nullptr || left->bits != right->bits || left->is_integer != right->is_integer ||
      (left->bits > 8 && left != right) || left->bits < 8 || left->is_integer != (product.sum == Sum::s32) ||
      product.sum == Sum::f64 || rows != 64 || product.depth * left->bits != 256 || product.columns % 8 != 0 ||
      product.columns < 8 || product.columns > 256) {
    throw EmulationError("wgmma of this shape and of these types is not supported");
  }
}

void decode_async_product(const Statement& statement, Operands& operands, Instruction& to) {
  const auto product = std::make_shared<GroupProduct>();
  read_types(statement, *product);
  product->sums = operands.values(statement.operand(0));
  if (product->sums.size() != static_cast<std::size_t>(product->columns / (product->sum == Sum::f16 ? 4 : 2))) {
    throw EmulationError("wgmma with another number of accumulators than its shape has");
  }
  if (statement.operand(1)[0] == '{') {
    product->left_registers = operands.values(statement.operand(1));
    if (product->left_registers.size() != 4) throw EmulationError("wgmma has A in four registers");
    to.sources = product->left_registers;
  } else {
    product->left = operands.value(statement.operand(1));
    to.sources = {product->left};
  }
  product->right = operands.value(statement.operand(2));
  product->add = operands.value(statement.operand(3));
  to.sources.push_back(product->right);
  to.sources.push_back(product->add);
  read_immediates(statement, *product);
  to.destinations = product->sums;
  to.is_wgmma = true;
  to.execute = [product](Warp& warp, LaneMask) { begin(warp, product); };
}

void wait(Warp& warp, std::size_t groups_left) {
  while (warp.product_groups.size() > groups_left) {
    const auto group = std::move(warp.product_groups.front());
    warp.product_groups.erase(warp.product_groups.begin());
    for (const auto& product : group) product();
  }
}

}  // namespace

bool decode_group_product(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name != "wgmma") return false;
  if (statement.has("mma_async")) {
    decode_async_product(statement, operands, to);
  } else if (statement.has("fence")) {
    to.execute = [](Warp& warp, LaneMask) { warp.wgmma_fenced_at = executed_instructions(); };
  } else if (statement.has("commit_group")) {
    to.execute = [](Warp& warp, LaneMask) {
      warp.product_groups.push_back(std::move(warp.open_products));
      warp.open_products.clear();
    };
  } else if (statement.has("wait_group")) {
    const auto groups = static_cast<std::size_t>(immediate(statement.operand(0)));
    to.execute = [groups](Warp& warp, LaneMask) { wait(warp, groups); };
  } else {
    throw EmulationError("this form of wgmma is not supported");
  }
  to.execute = [execute = std::move(to.execute)](Warp& warp, LaneMask lanes) {
    if (lanes != all_lanes) throw EmulationError("wgmma needs all lanes of a warp");
    execute(warp, lanes);
  };
  return true;
}

}  // namespace gable::emulated
