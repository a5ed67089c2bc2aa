// wgmma. Operands are laid out in shared memory by the PTX ISA's words, "Asynchronous Warpgroup Level Matrix Shared
// Memory Layout": lines of the swizzle's width, eight of which are a block in which 16-byte parts change places.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/emulated/ptx_kernel.hpp"
#include "tests/gpu/emulated/whole_matrix.hpp"

namespace gable::emulated {
namespace {

constexpr int rows = 64;
constexpr int a_bytes = 16384;  ///< B lies behind A

/// Where an operand lies: as rows of A or columns of B, each a line along the depth, or across it.
struct Layout {
  int width;  ///< bytes that are swizzled together: 128, 64, 32
  bool across;
  int size, outer, depth;  ///< bytes of an element; rows of A or columns of B; along the depth

  int block_bytes() const { return 8 * width; }
  int per_line() const { return width / size; }
  /// Eight lines along: the next block has the next eight rows. Across: the next eight of the depth.
  int stride() const { return block_bytes(); }
  /// Across: from the first elements of a line to those of its continuation.
  int leading() const { return depth / 8 * block_bytes(); }

  int offset(int row, int k) const {
    const int line = across ? k : row, place = (across ? row : k) * size;
    const int swapped = width == 128 ? line % 8 : width == 64 ? line / 2 % 4 : line / 4 % 2;
    const int part = place % width / 16 ^ swapped;
    return (across ? place / width * leading() : 0) + line / 8 * stride() + line % 8 * width + part * 16 + place % 16;
  }
  /// How much further the next product along the depth begins. A product takes 32 bytes of each row.
  int step() const { return across ? 32 / size * width : 32; }
  /// Without the address ("Matrix Descriptor Format").
  std::uint64_t descriptor() const {
    const std::uint64_t swizzle = width == 128 ? 1 : width == 64 ? 2 : 3;
    return swizzle << 62 | static_cast<std::uint64_t>(stride() / 16) << 32 |
           static_cast<std::uint64_t>(across ? leading() / 16 : 1) << 16;
  }
  /// Puts an operand, of rows along the depth, into an image of shared memory.
  void put(std::vector<std::uint8_t>& image, int begin, const WholeMatrix& matrix, const NumberFormat& format) const {
    for (int row = 0; row < outer; ++row) {
      for (int k = 0; k < depth; ++k) {
        const std::uint64_t bits = format.encode(matrix.at(row, k));
        std::memcpy(&image[static_cast<std::size_t>(begin + offset(row, k))], &bits, static_cast<std::size_t>(size));
      }
    }
  }
};

WholeMatrix transposed(const WholeMatrix& matrix) {
  WholeMatrix result(matrix.columns, matrix.rows);
  for (int r = 0; r < matrix.rows; ++r) {
    for (int c = 0; c < matrix.columns; ++c) result.at(c, r) = matrix.at(r, c);
  }
  return result;
}

struct GroupProduct {
  int columns;
  std::string sum, left, right;
  int width;
  bool left_across = false, right_across = false;
  bool add = false;  ///< to sums that are 7
  int a_sign = 1, b_sign = 1;
  bool left_in_registers = false;
  int groups = 1;

  int size() const { return number_format(left).bits / 8; }
  int depth() const { return 32 / size(); }  ///< of one instruction
  int steps() const {
    if (left_in_registers) return 1;
    return left_across && right_across ? 2 : left_across || right_across ? std::min(2, width / 32) : width / 32;
  }
  bool is_whole() const { return sum == "s32"; }
  Layout layout(bool is_left) const {
    const bool across = is_left ? left_across : right_across;
    return {width, across, size(), is_left ? rows : columns, across ? steps() * depth() : width / size()};
  }
  std::size_t registers() const { return static_cast<std::size_t>(sum == "f16" ? columns / 4 : columns / 2); }
  std::string register_name(std::size_t i) const { return (sum == "f32" ? "%f" : "%r") + std::to_string(64 + i); }

  std::string instruction(int step) const {
    std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k" + std::to_string(depth()) +
                       "." + sum + "." + left + "." + right + " {" + register_name(0);
    for (std::size_t i = 1; i < registers(); ++i) text += ", " + register_name(i);
    text += left_in_registers ? "}, {%r20, %r21, %r22, %r23}, %rd11, " : "}, %rd10, %rd11, ";
    text += step == 0 ? "%p0" : "%p1";
    if (!is_whole()) text += ", " + std::to_string(a_sign) + ", " + std::to_string(b_sign);
    if (size() == 2 && !left_in_registers) text += left_across ? ", 1" : ", 0";
    if (size() == 2) text += right_across ? ", 1" : ", 0";
    return text + ";\n";
  }

  /// Buffer 0: what shared memory holds; 1: sums, the registers of a thread side by side; 2: A's registers.
  PtxKernel kernel(int shared_bytes) const {
    std::string text =
        "mov.u32 %r0, memory;\ncvt.u32.u64 %r1, %o16;\nadd.u32 %r1, %r1, %r0;\nadd.s64 %rd0, %b0, %o16;\n";
    for (int at = 0; at < shared_bytes; at += 16 * 128 * groups) {
      text += "ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd0+" + std::to_string(at) + "];\nst.shared.v4.b32 [%r1+" +
              std::to_string(at) + "], {%r2, %r3, %r4, %r5};\n";
    }
    text += "fence.proxy.async;\nbar.sync 0;\n";
    if (left_in_registers) text += "add.s64 %rd1, %b2, %o16;\nld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%rd1];\n";
    for (std::size_t i = 0; i < registers(); ++i) {
      text += "mov.b32 " + register_name(i) + ", " +
              (sum == "f32"   ? "0f40e00000"
               : sum == "f16" ? "0x47004700"
                              : "7") +
              ";\n";  // 7
    }
    text += "shr.u32 %r1, %r0, 4;\ncvt.u64.u32 %rd2, %r1;\nadd.s64 %rd10, %rd2, " +
            std::to_string(static_cast<std::int64_t>(layout(true).descriptor())) + ";\nadd.s64 %rd11, %rd2, " +
            std::to_string(static_cast<std::int64_t>(layout(false).descriptor() + a_bytes / 16)) +
            ";\nsetp.ne.u32 %p0, " + (add ? "1" : "0") + ", 0;\nsetp.eq.u32 %p1, 0, 0;\nwgmma.fence.sync.aligned;\n";
    for (int step = 0; step < steps(); ++step) {
      text += instruction(step);
      text += "add.s64 %rd10, %rd10, " + std::to_string(layout(true).step() / 16) + ";\nadd.s64 %rd11, %rd11, " +
              std::to_string(layout(false).step() / 16) + ";\n";
    }
    text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmad.lo.s64 %rd3, %o4, " +
            std::to_string(registers()) + ", %b1;\n";
    for (std::size_t i = 0; i < registers(); ++i) {
      text += "st.global.b32 [%rd3+" + std::to_string(4 * i) + "], " + register_name(i) + ";\n";
    }
    return {text, ".extern .shared .align 1024 .b8 memory[];", static_cast<std::uint32_t>(128 * groups), 1,
            static_cast<std::uint64_t>(shared_bytes)};
  }
};

/// A kernel, what it gets and what it must give.
struct Case {
  PtxKernel kernel{""};
  std::vector<std::uint8_t> shared;
  std::vector<std::uint32_t> a_registers, sums;

  explicit Case(const GroupProduct& product) {
    const Layout left = product.layout(true), right = product.layout(false);
    const NumberFormat left_format = number_format(product.left), right_format = number_format(product.right);
    const auto a = WholeMatrix::random(rows, left.depth, left_format.is_signed, 1);
    const auto b = WholeMatrix::random(product.columns, right.depth, right_format.is_signed, 2);
    shared.resize(65536, 0x55);
    left.put(shared, 0, a, left_format);
    right.put(shared, a_bytes, b, right_format);
    kernel = product.kernel(65536);
    put_registers(product, a, left_format);
    expect(product, a, transposed(b));
  }

  /// A in registers: elements of lane, as those of A of mma.m16n8k16; four warps have 16 rows each.
  void put_registers(const GroupProduct& product, const WholeMatrix& a, const NumberFormat& format) {
    const int per = 32 / format.bits;
    a_registers.resize(128 * 4);
    for (int thread = 0; thread < 128 && format.bits <= 16; ++thread) {
      for (int i = 0; i < 4 * per; ++i) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + (i / per % 2) * 8;
        const int k = thread % 4 * per + i % per + (i / per / 2) * 4 * per;
        if (k < product.depth()) {
          a_registers[static_cast<std::size_t>(thread * 4 + i / per)] |=
              static_cast<std::uint32_t>(format.encode(a.at(row, k)) << format.bits * (i % per));
        }
      }
    }
  }

  /// Element i of a thread ("Register Fragments for wgmma", D): row 16 warp + lane / 4, and 8 more for every other
  /// pair.
  void expect(const GroupProduct& product, const WholeMatrix& a, const WholeMatrix& b) {
    const int depth = product.steps() * product.depth();
    WholeMatrix left(rows, depth), right(depth, product.columns), addend(rows, product.columns);
    for (int k = 0; k < depth; ++k) {
      for (int r = 0; r < rows; ++r) left.at(r, k) = product.a_sign * a.at(r, k);
      for (int c = 0; c < product.columns; ++c) right.at(k, c) = product.b_sign * b.at(k, c);
    }
    for (auto& number : addend.numbers) number = product.add ? 7 : 0;
    const WholeMatrix result = multiplied(left, right, addend);
    const NumberFormat format = number_format(product.sum);
    const int per = format.bits == 16 ? 2 : 1, count = product.columns / 2;
    for (int thread = 0; thread < 128 * product.groups; ++thread) {
      for (int i = 0; i < count; i += per) {
        std::uint64_t bits = 0;
        for (int j = i; j < i + per; ++j) {
          const int row = thread % 128 / 32 * 16 + thread % 32 / 4 + (j / 2 % 2) * 8;
          const int column = j / 4 * 8 + thread % 4 * 2 + j % 2;
          bits |= format.encode(result.at(row, column)) << 16 * (j - i);
        }
        sums.push_back(static_cast<std::uint32_t>(bits));
      }
    }
  }

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> result(sums.size());
    kernel.run(shared, result, a_registers);
    return result;
  }
  /// What is wrong with the kernel after a change.
  std::string failure_with(const std::string& from, const std::string& to) {
    std::vector<std::uint32_t> result(sums.size());
    return kernel.with(from, to).failure(shared, result, a_registers);
  }
};

TEST(EmulatedGroupProduct, MultipliesWholeNumbersOfEveryTypeAndLayout) {
  const GroupProduct products[] = {{256, "f32", "f16", "f16", 128},
                                   {64, "f16", "f16", "f16", 128, false, false, true},
                                   {8, "f32", "bf16", "bf16", 64, false, false, true},
                                   {24, "f32", "f16", "f16", 32},
                                   {128, "f32", "bf16", "bf16", 128, true, true, true},
                                   {64, "f16", "f16", "f16", 128, false, true},
                                   {64, "f32", "f16", "f16", 64, true, true},
                                   {32, "f32", "bf16", "bf16", 32, true, false, true},
                                   {32, "f32", "tf32", "tf32", 128, false, false, true},
                                   {16, "f32", "e4m3", "e5m2", 128},
                                   {16, "f16", "e5m2", "e5m2", 64, false, false, true},
                                   {256, "s32", "s8", "s8", 128, false, false, true},
                                   {32, "s32", "u8", "s8", 32},
                                   {16, "f32", "f16", "f16", 128, false, false, true, -1, 1},
                                   {16, "f32", "tf32", "tf32", 128, false, false, true, -1, -1},
                                   {32, "f32", "f16", "f16", 128, false, true, true, 1, -1, true},
                                   {32, "s32", "s8", "u8", 128, false, false, true, 1, 1, true},
                                   {16, "f32", "f16", "f16", 128, false, false, true, 1, 1, false, 2}};
  for (const GroupProduct& product : products) {
    SCOPED_TRACE(product.instruction(0));
    Case it(product);
    EXPECT_EQ(it.run(), it.sums);
  }
}

/// Expects that the kernel fails after a change, in these words.
void expect_failure(Case& it, const std::string& from, const std::string& to, const std::string& words) {
  const std::string failure = it.failure_with(from, to);
  EXPECT_NE(failure.find(words), std::string::npos) << failure << "\ninstead of: " << words;
}

const std::string fence = "wgmma.fence.sync.aligned;\n", commit = "wgmma.commit_group.sync.aligned;\n";
std::string wait(int groups) { return "wgmma.wait_group.sync.aligned " + std::to_string(groups) + ";\n"; }

TEST(EmulatedGroupProduct, FindsMissingFencesAndWaits) {
  Case it({16, "f32", "f16", "f16", 128, false, false, true});
  ASSERT_EQ(it.run(), it.sums);
  expect_failure(it, "fence.proxy.async;", "", "fence.proxy.async is missing");
  expect_failure(it, "bar.sync 0;", "", "race in shared memory");
  expect_failure(it, fence, "", "wgmma.fence is missing");
  expect_failure(it, fence, fence + "mov.f32 %f64, 0f00000000;\n", "wgmma.fence is missing");
  const std::string early = "a wgmma that nobody has waited for";
  expect_failure(it, wait(0), wait(1), early);
  expect_failure(it, wait(0), "mov.f32 %f0, %f64;\n" + wait(0), early);
  expect_failure(it, wait(0), "mov.f32 %f64, %f0;\n" + wait(0), early);
  expect_failure(it, commit, "", early);
}

TEST(EmulatedGroupProduct, FindsAnOperandInRegistersThatIsNotFenced) {
  Case it({16, "f32", "f16", "f16", 128, false, false, true, 1, 1, true});
  expect_failure(it, fence, fence + "mov.b32 %r21, 0;\n", "a register of A");
}

TEST(EmulatedGroupProduct, ReadsItsOperandsUntilTheWait) {
  Case it({16, "f32", "f16", "f16", 128, false, false, true});
  const std::string zero = "st.shared.b32 [%r0], 0;\n";
  expect_failure(it, wait(0), zero + wait(0), "fence.proxy.async is missing");
  it.kernel = it.kernel.with(
      wait(0), "mov.u32 %r30, %tid.x;\nsetp.eq.u32 %p2, %r30, 0;\n@%p2 " + zero + "fence.proxy.async;\n" + wait(0));
  const auto changed = it.run();
  EXPECT_NE(changed[0], it.sums[0]);    // row 0
  EXPECT_EQ(changed[32], it.sums[32]);  // lane 4: row 1
}

TEST(EmulatedGroupProduct, LaterGroupsStayUnderWay) {
  const GroupProduct product{16, "f32", "f16", "f16", 128, false, false, true};
  Case it(product);
  it.kernel = it.kernel.with(commit + wait(0), commit + commit + wait(1) + wait(0));  // the second group is empty
  EXPECT_EQ(it.run(), it.sums);
  const std::string two = commit + commit + wait(1), full = commit + product.instruction(1) + commit + wait(1);
  EXPECT_EQ(it.failure_with(two, full), "");
  expect_failure(it, two, full + "mov.f32 %f0, %f64;\n", "a wgmma that nobody has waited for");
}

TEST(EmulatedGroupProduct, FindsWrongDescriptorsAndGroups) {
  Case it({16, "f32", "f16", "f16", 128});
  expect_failure(it, fence, "or.b64 %rd10, %rd10, 0x2000000000000;\n" + fence, "base offset");
  expect_failure(it, fence, "or.b64 %rd10, %rd10, 0x4000;\n" + fence, "must be 0");
  expect_failure(it, fence, "and.b64 %rd10, %rd10, 0x3fffffffffffffff;\n" + fence, "without a swizzle");
  expect_failure(it, fence, "or.b64 %rd10, %rd10, 0x3fff;\n" + fence, "out of the block's shared memory");
  expect_failure(it, fence, "add.s64 %rd10, %rd10, %o1;\n" + fence, "different descriptors");
  it.kernel.threads = 96;
  expect_failure(it, fence, fence, "four warps");
}

}  // namespace
}  // namespace gable::emulated
