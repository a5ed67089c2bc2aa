// wgmma: a warpgroup of four warps multiplies 64 rows of A by up to 256 columns of B; the operands lie in shared memory
// as descriptors say, or A in registers; each warp holds 16 rows of it then, as of the result. Layouts: PTX ISA,
// "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions", "Matrix Descriptor Format" and "Strides",
// with the swizzle of 128 bytes.
//
// A product takes effect as late as it may: when it is waited for. Its operands are checked when it begins and when it
// ends, so that what is written in between shows.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/matrix_product.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"

namespace gable::emulated {
namespace {

constexpr int warp_rows = 16, max_depth = 32;
constexpr std::uint64_t piece = 32;  ///< bytes, two segments of 16: they may change places, but stay together

/// An operand in shared memory. Rows are those of A or the columns of B.
struct SharedOperand {
  std::uint64_t start, leading, stride;  ///< bytes
  bool across;                           ///< elements side by side are of several rows, not of one
  const MatrixElement* element;
  int depth;

  SharedOperand(std::uint64_t descriptor, const MatrixProduct& product, bool is_across)
      : start((descriptor & 0x3fffU) * 16),
        leading((descriptor >> 16 & 0x3fffU) * 16),
        stride((descriptor >> 32 & 0x3fffU) * 16),
        across(is_across),
        element(product.element),
        depth(product.depth) {
    constexpr std::uint64_t zeros = 0x3ff1c000c000c000U, base_offset = 0x000e000000000000U;
    if (descriptor >> 62 != 1) throw EmulationError("a matrix descriptor of another swizzle than 128 bytes");
    if ((descriptor & base_offset) != 0) throw EmulationError("a base offset in a matrix descriptor is not supported");
    if ((descriptor & zeros) != 0) throw EmulationError("a matrix descriptor with bits that must be 0");
    if (start % piece != 0) throw EmulationError("a matrix descriptor of an address that is no multiple of 32 bytes");
  }

  /// Calls each(offset, whether its segments change places, row, depth) for every piece of `count` rows; row and depth
  /// are those of its first element, rows count from `first`.
  template <class Each>
  void for_pieces(int first, int count, Each&& each) const {
    const auto at = [&](std::uint64_t offset, int row, int k) {
      const std::uint64_t place = (start + offset) ^ ((start + offset) >> 7 & 7) * 16;
      each(place / piece * piece, place % piece != 0, row, k);
    };
    if (!across) {
      for (int r = 0; r < count; ++r) {
        const auto row = static_cast<std::uint64_t>(first + r);
        at(row / 8 * stride + row % 8 * 128, r, 0);
      }
      return;
    }
    for (int k = 0; k < depth; ++k) {
      for (int r = 0; r < count; r += 16) {
        const auto row = static_cast<std::uint64_t>(first + r), line = static_cast<std::uint64_t>(k);
        at(row / 64 * leading + line / 8 * stride + line % 8 * 128 + row % 64 * 2, r, k);
      }
    }
  }

  void check(Warp& warp, int first, int count) const {
    for_pieces(first, count, [&](std::uint64_t offset, bool, int, int) {
      warp.block->shared.use(AccessKind::proxy_read, offset, piece, warp.index, warp.clock);
    });
  }

  /// Calls set(row, depth, number) for every element of the rows.
  template <class Set>
  void read(Warp& warp, int first, int count, Set&& set) const {
    for_pieces(first, count, [&](std::uint64_t offset, bool change_places, int row, int k) {
      const std::byte* const memory = warp.block->shared.data() + offset;
      std::array<std::byte, piece> bytes;
      std::memcpy(&bytes[change_places ? 16 : 0], memory, 16);
      std::memcpy(&bytes[change_places ? 0 : 16], memory + 16, 16);
      std::array<double, piece> numbers;
      const int elements = static_cast<int>(piece) * 8 / element->bits;
      element->decode(bytes.data(), elements, numbers.data());
      const int down = across ? 1 : 0, right = across ? 0 : 1;
      for (int i = 0; i < elements; ++i) set(row + down * i, k + right * i, numbers[static_cast<std::size_t>(i)]);
    });
  }
};

struct GroupProduct {
  MatrixProduct product;
  std::vector<Register> sums, held;       ///< held: A, if it is in registers
  Register left = 0, right = 0, add = 0;  ///< descriptors, and whether D is added to
  bool left_across = false, right_across = false;
};

/// What is known when a product begins.
struct Begun {
  std::shared_ptr<const GroupProduct> it;
  Warp* warp;
  Frame* frame;
  std::optional<SharedOperand> left;
  SharedOperand right;
  bool add;

  int first_row() const { return warp->index % 4 * warp_rows; }
  std::uint64_t* values(Register number) const {
    return &frame->registers[static_cast<std::size_t>(number) * warp_size];
  }
  void check() const {
    if (left) left->check(*warp, first_row(), warp_rows);
    right.check(*warp, 0, it->product.columns);
  }
  /// Registers that nothing else may use until the wait: so many more products have them.
  void hold(int products) const {
    for (const auto* list : {&it->sums, &it->held}) {
      for (const Register one : *list)
        frame->uses[static_cast<std::size_t>(one)].in_flight += static_cast<std::uint32_t>(products);
    }
  }
  void read_left(double* to) const {
    if (left) {
      return left->read(*warp, first_row(), warp_rows,
                        [&](int row, int k, double number) { to[row * it->product.depth + k] = number; });
    }
    std::vector<const std::uint64_t*> registers;
    for (const Register number : it->held) registers.push_back(values(number));
    emulated::read_left(it->product, warp_rows, registers, to);
  }
};

/// The wait has come: D = A B, or D = A B + D, for eight columns after the other.
void finish(const Begun& begun) {
  begun.check();
  const MatrixProduct& product = begun.it->product;
  std::array<double, warp_rows * max_depth> left{};
  begun.read_left(left.data());
  const std::size_t registers = product.sum == Sum::f16 ? 2 : 4;  // of eight columns
  for (int column = 0; column < product.columns; column += 16) {
    Eight right[2][max_depth];
    const int count = std::min(16, product.columns - column);
    begun.right.read(*begun.warp, column, count, [&](int c, int k, double number) { right[c / 8][k][c % 8] = number; });
    for (std::size_t half = 0; half < static_cast<std::size_t>(count) / 8; ++half) {
      std::array<std::uint64_t*, 4> sums{};
      for (std::size_t i = 0; i < registers; ++i) {
        sums[i] = begun.values(begun.it->sums[(static_cast<std::size_t>(column) / 8 + half) * registers + i]);
      }
      multiply(product, warp_rows, left.data(), right[half], begun.add ? sums.data() : nullptr, sums.data());
    }
  }
  begun.hold(-1);
}

/// The value of a register that has to be the same in all lanes.
std::uint64_t uniform(Warp& warp, Register number, const char* what) {
  const std::uint64_t* values = warp.values(number);
  if (std::any_of(values, values + warp_size, [&](std::uint64_t value) { return value != values[0]; })) {
    throw EmulationError(std::string("lanes give wgmma different ") + what);
  }
  return values[0];
}

/// All warps of a group execute the same.
void step(Warp& warp, const Block::GroupStep& now) {
  auto& steps = warp.block->group_steps[static_cast<std::size_t>(warp.index) / 4];
  if (warp.group_step == steps.size()) steps.push_back(now);
  if (steps[warp.group_step++] == now) return;
  throw EmulationError("the warps of a group execute different wgmma instructions, or give them different operands");
}

void begin(Warp& warp, const std::shared_ptr<const GroupProduct>& it) {
  const auto group = static_cast<std::uint32_t>(warp.index / 4 * 4);
  if (warp.block->threads < (group + 4) * warp_size) throw EmulationError("wgmma needs a group of four warps");
  if (warp.wgmma_fenced_at == 0) throw EmulationError("wgmma without a wgmma.fence before it");
  const bool is_held = !it->held.empty();
  const std::uint64_t left = is_held ? 0 : uniform(warp, it->left, "descriptors");
  const std::uint64_t right = uniform(warp, it->right, "descriptors");
  const bool add = uniform(warp, it->add, "predicates") != 0;
  step(warp, {warp.current, left, right, add});
  Begun begun{it, &warp, warp.frame, {}, {right, it->product, it->right_across}, add};
  if (!is_held) begun.left.emplace(left, it->product, it->left_across);
  begun.check();
  begun.hold(1);
  warp.open_products.emplace_back([begun = std::move(begun)] { finish(begun); });
}

/// What stands behind D, A, B and scale-d: scales of A and B, which are 1, and, of 2-byte types, whether those in
/// shared memory lie across.
void read_immediates(const Statement& statement, GroupProduct& to) {
  const bool has_scales = !to.product.element->is_integer, has_across = to.product.element->bits == 16;
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 4; i < statement.operands.size(); ++i)
    numbers.push_back(literal(statement.operand(i)).value_or(2));
  const std::size_t places = to.held.empty() ? 2 : 1;
  const bool is_known = numbers.size() == (has_scales ? 2U : 0U) + (has_across ? places : 0U) &&
                        (!has_scales || (numbers[0] == 1 && numbers[1] == 1));
  if (!is_known) throw EmulationError("wgmma with these numbers at its end is not supported");
  if (has_across) {
    to.left_across = to.held.empty() && numbers[2] != 0;
    to.right_across = numbers.back() != 0;
  }
}

void decode_product(const Statement& statement, Operands& operands, Instruction& to) {
  const auto it = std::make_shared<GroupProduct>();
  it->product = read_product(statement);
  const auto& [rows, columns, depth, element, sum] = it->product;
  const bool is_held = statement.operand(1).starts_with('{');
  if (is_held) it->held = operands.values(statement.operand(1));
  read_immediates(statement, *it);
  if (rows != 64 || depth * element->bits != 256 || depth > max_depth || element->bits == 64 || columns < 8 ||
      columns > 256 || columns % (it->right_across ? 16 : 8) != 0) {
    throw EmulationError("wgmma of this shape is not supported");
  }
  it->sums = operands.values(statement.operand(0));
  if (it->sums.size() != static_cast<std::size_t>(columns / (sum == Sum::f16 ? 4 : 2))) {
    throw EmulationError("wgmma with another number of accumulators than its shape has");
  }
  if (is_held && (it->held.size() != 4 || std::ranges::min(it->held) < 0)) {
    throw EmulationError("wgmma with A in anything but four registers is not supported");
  }
  if (!is_held) it->left = operands.value(statement.operand(1));
  it->right = operands.value(statement.operand(2));
  it->add = operands.value(statement.operand(3));
  to.sources = {it->right, it->add};
  if (!is_held) to.sources.push_back(it->left);
  to.destinations = it->sums;
  to.wgmma_held = it->held;
  to.wgmma_shape = static_cast<std::uint32_t>(columns << 16 | depth);
  to.execute = [it](Warp& warp, LaneMask) { begin(warp, it); };
}

void wait(Warp& warp, std::size_t groups_left) {
  while (warp.product_groups.size() > groups_left) {
    for (const auto& product : warp.product_groups.front()) product();
    warp.product_groups.erase(warp.product_groups.begin());
  }
}

}  // namespace

bool decode_group_product(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name != "wgmma") return false;
  if (statement.has("mma_async")) {
    decode_product(statement, operands, to);
  } else if (statement.has("fence")) {
    to.execute = [](Warp& warp, LaneMask) { warp.wgmma_fenced_at = executed_instructions(); };
  } else if (statement.has("commit_group")) {
    to.execute = [](Warp& warp, LaneMask) {
      warp.product_groups.push_back(std::move(warp.open_products));
      warp.open_products.clear();
    };
  } else if (const auto groups = literal(statement.operand(0)); statement.has("wait_group") && groups) {
    to.execute = [groups](Warp& warp, LaneMask) { wait(warp, *groups); };
  } else {
    throw EmulationError("this form of wgmma is not supported");
  }
  to.execute = [execute = std::move(to.execute)](Warp& warp, LaneMask lanes) {
    if (lanes != all_lanes) throw EmulationError("wgmma needs all lanes of a warp");
    if (warp.current->wgmma_shape == 0) step(warp, {warp.current});
    execute(warp, lanes);
  };
  return true;
}

}  // namespace gable::emulated
