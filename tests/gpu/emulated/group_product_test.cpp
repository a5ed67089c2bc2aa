// wgmma. Operands are laid out in shared memory by the PTX ISA's words, "Asynchronous Warpgroup Level Matrix Shared
// Memory Layout": lines of 128 bytes, eight of which are a block in which 16-byte parts change places.
#include <gtest/gtest.h>

#include "tests/gpu/emulated/ptx_kernel.hpp"
#include "tests/gpu/emulated/whole_matrix.hpp"

namespace gable::emulated {
namespace {

constexpr int rows = 64;
constexpr int a_bytes = 16384;  ///< B lies behind A

/// Where an operand lies: as rows of A or columns of B, each a line of 128 bytes along the depth, or across it.
struct Layout {
  bool across;
  int size, outer, depth;  ///< bytes of an element; rows of A or columns of B; along the depth

  /// Of the first elements of a line to those of its continuation. Eight lines, a block, are 1024 bytes.
  int leading() const { return across ? depth / 8 * 1024 : 16; }
  int offset(int row, int k) const {
    const int line = across ? k : row, place = (across ? row : k) * size, part = place % 128 / 16 ^ line % 8;
    return place / 128 * leading() + line * 128 + part * 16 + place % 16;
  }
  /// How much further the next product along the depth begins. A product takes 32 bytes of each row.
  int step() const { return across ? 32 / size * 128 : 32; }
  /// Without the address ("Matrix Descriptor Format"): swizzle of 128 bytes, stride, leading offset.
  std::uint64_t descriptor() const {
    return std::uint64_t{1} << 62 | std::uint64_t{1024 / 16} << 32 | static_cast<std::uint64_t>(leading() / 16) << 16;
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

struct GroupProduct {
  int columns;
  std::string sum, type;
  bool left_across = false, right_across = false, add = false;  ///< add to sums that are 7
  int groups = 1;
  bool held = false;  ///< A in registers, of which shared memory has those of a thread side by side

  int size() const { return number_format(type).bits / 8; }
  int depth() const { return 32 / size(); }  ///< of one instruction
  int steps() const { return left_across || right_across ? 2 : 4; }
  Layout left() const { return {left_across, size(), rows, steps() * depth()}; }
  Layout right() const { return {right_across, size(), columns, steps() * depth()}; }
  int registers() const { return sum == "f16" ? columns / 4 : columns / 2; }
  std::string register_name(int i) const { return (sum == "f32" ? "%f" : "%r") + std::to_string(64 + i); }

  /// Four of A, for one step.
  std::string held_registers(int step) const {
    std::string text = "{%r" + std::to_string(8 + 4 * step);
    for (int i = 1; i < 4; ++i) text += ", %r" + std::to_string(8 + 4 * step + i);
    return text + "}";
  }
  std::string instruction(int step) const {
    std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k" + std::to_string(depth()) +
                       "." + sum + "." + type + "." + type + " {" + register_name(0);
    for (int i = 1; i < registers(); ++i) text += ", " + register_name(i);
    text += "}, " + (held ? held_registers(step) : "%rd10") + ", %rd11, " + (step == 0 ? "%p0" : "%p1") +
            (sum == "s32" ? "" : ", 1, 1");
    if (size() == 2) text += std::string(held ? "" : left_across ? ", 1" : ", 0") + (right_across ? ", 1" : ", 0");
    return text + ";\n";
  }

  /// Buffer 0: what shared memory holds; 1: sums, the registers of a thread side by side.
  PtxKernel kernel(int shared_bytes) const {
    const auto number = [](auto value) { return std::to_string(static_cast<std::int64_t>(value)); };
    std::string text =
        "mov.u32 %r0, memory;\ncvt.u32.u64 %r1, %o16;\nadd.u32 %r1, %r1, %r0;\nadd.s64 %rd0, %b0, %o16;\n";
    for (int at = 0; at < shared_bytes; at += 16 * 128 * groups) {
      text += "ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd0+" + number(at) + "];\nst.shared.v4.b32 [%r1+" + number(at) +
              "], {%r2, %r3, %r4, %r5};\n";
    }
    text += "fence.proxy.async;\nbar.sync 0;\n";
    if (held) text += "cvt.u32.u64 %r6, %o16;\nmad.lo.u32 %r6, %r6, 4, %r0;\n";
    for (int step = 0; held && step < steps(); ++step)
      text += "ld.shared.v4.b32 " + held_registers(step) + ", [%r6+" + number(16 * step) + "];\n";
    const std::string seven = sum == "f32" ? "0f40e00000" : sum == "f16" ? "0x47004700" : "7";
    for (int i = 0; i < registers(); ++i) text += "mov.b32 " + register_name(i) + ", " + seven + ";\n";
    text += "shr.u32 %r1, %r0, 4;\ncvt.u64.u32 %rd2, %r1;\nadd.s64 %rd10, %rd2, " + number(left().descriptor()) +
            ";\nadd.s64 %rd11, %rd2, " + number(right().descriptor() + a_bytes / 16) + ";\nsetp.ne.u32 %p0, " +
            number(add) + ", 0;\nsetp.eq.u32 %p1, 0, 0;\nwgmma.fence.sync.aligned;\n";
    for (int step = 0; step < steps(); ++step) {
      text += instruction(step) + "add.s64 %rd10, %rd10, " + number(left().step() / 16) + ";\nadd.s64 %rd11, %rd11, " +
              number(right().step() / 16) + ";\n";
    }
    text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmad.lo.s64 %rd3, %o4, " +
            number(registers()) + ", %b1;\n";
    for (int i = 0; i < registers(); ++i)
      text += "st.global.b32 [%rd3+" + number(4 * i) + "], " + register_name(i) + ";\n";
    return {text, ".extern .shared .align 1024 .b8 memory[];", static_cast<std::uint32_t>(128 * groups), 1,
            static_cast<std::uint64_t>(shared_bytes)};
  }
};

/// A kernel, what it gets and what it must give.
struct ProductCase {
  PtxKernel kernel{""};
  std::vector<std::uint8_t> shared = std::vector<std::uint8_t>(65536, 0x55);
  std::vector<std::uint32_t> sums;

  explicit ProductCase(const GroupProduct& product) {
    const int depth = product.left().depth;
    const auto a = WholeMatrix::random(rows, depth, 1), b = WholeMatrix::random(product.columns, depth, 2);
    if (product.held) {
      put_held(a, number_format(product.type));
    } else {
      product.left().put(shared, 0, a, number_format(product.type));
    }
    product.right().put(shared, a_bytes, b, number_format(product.type));
    kernel = product.kernel(65536);
    WholeMatrix across(depth, product.columns), addend(rows, product.columns);
    for (int k = 0; k < depth; ++k) {
      for (int c = 0; c < product.columns; ++c) across.at(k, c) = b.at(c, k);
    }
    for (auto& number : addend.numbers) number = product.add ? 7 : 0;
    expect(product, multiplied(a, across, addend));
  }

  /// Element i of a thread and step ("Register Fragments for wgmma", A of 2-byte types): row 16 warp + lane / 4, and 8
  /// more for every other pair; column 2 (lane % 4), and 8 more for the last four.
  void put_held(const WholeMatrix& a, const NumberFormat& format) {
    for (int at = 0; at < rows * a.columns; ++at) {
      const int i = at % 8, step = at / 8 % (a.columns / 16), thread = at / (8 * (a.columns / 16));
      const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
      const auto bits =
          static_cast<std::uint16_t>(format.encode(a.at(row, 16 * step + i / 4 * 8 + thread % 4 * 2 + i % 2)));
      std::memcpy(&shared[static_cast<std::size_t>(64 * thread + 16 * step + 2 * i)], &bits, sizeof bits);
    }
  }
  /// Element i of a thread ("Register Fragments for wgmma", D): row 16 warp + lane / 4, and 8 more for every other
  /// pair.
  void expect(const GroupProduct& product, const WholeMatrix& result) {
    const NumberFormat format = number_format(product.sum);
    const int per = format.bits == 16 ? 2 : 1;
    for (int thread = 0; thread < 128 * product.groups; ++thread) {
      for (int i = 0; i < product.columns / 2; i += per) {
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
    kernel.run(shared, result);
    return result;
  }
  void expect(const std::vector<Fault>& faults) const {
    expect_faults(kernel, faults, shared, std::vector<std::uint32_t>(sums.size()));
  }
};

TEST(EmulatedGroupProduct, MultipliesWholeNumbersOfEveryTypeAndLayout) {
  const GroupProduct products[] = {{256, "f32", "f16"},
                                   {64, "f16", "f16", false, false, true},
                                   {128, "f32", "bf16", true, true, true},
                                   {256, "f32", "f16", false, true},
                                   {64, "f16", "f16", true, false},
                                   {8, "f32", "tf32", false, false, true},
                                   {16, "f32", "e4m3"},
                                   {24, "f16", "e5m2", false, false, true},
                                   {256, "s32", "s8", false, false, true},
                                   {16, "f32", "f16", false, false, true, 2},
                                   {128, "f32", "bf16", false, true, true, 1, true},
                                   {64, "f32", "f16", false, false, false, 1, true}};
  for (const GroupProduct& product : products) {
    SCOPED_TRACE(product.instruction(0));
    ProductCase it(product);
    EXPECT_EQ(it.run(), it.sums);
  }
}

const std::string fence = "wgmma.fence.sync.aligned;\n", commit = "wgmma.commit_group.sync.aligned;\n";
std::string wait(int groups) { return "wgmma.wait_group.sync.aligned " + std::to_string(groups) + ";\n"; }
const std::string no_fence = "wgmma.fence is missing", early = "a wgmma that nobody has waited for";

TEST(EmulatedGroupProduct, FindsMissingFencesAndWaits) {
  ProductCase it({16, "f32", "f16", false, false, true});
  ASSERT_EQ(it.run(), it.sums);
  const std::string again = wait(0) + GroupProduct{8, "f32", "f16"}.instruction(1) + commit + wait(0);
  it.expect({{fence, "", no_fence},
             {fence, fence + "mov.f32 %f64, 0f00000000;\n", no_fence},
             {fence, fence + "mov.f32 %f0, %f64;\n", no_fence},
             {wait(0), again, no_fence},
             {wait(0), wait(0) + fence + again.substr(wait(0).size()), ""},
             {wait(0), wait(1), early},
             {wait(0), "mov.f32 %f0, %f64;\n" + wait(0), early},
             {wait(0), "mov.f32 %f64, %f0;\n" + wait(0), early},
             {commit, "", early}});
}

TEST(EmulatedGroupProduct, IsFencedFromWhatWasWritten) {
  ProductCase it({16, "f32", "f16", false, false, true});
  const std::string proxy = "fence.proxy.async;", missing = "fence.proxy.async is missing at offset ";
  const std::string copy = "cp.async.ca.shared.global [%r1], [%rd0], 4; ", landed = "cp.async.wait_all; ";
  it.expect(
      {{proxy, "", missing},
       {proxy, "fence.proxy.async.global;", missing},
       {proxy, "fence.acq_rel.cta;", missing},
       {proxy, "membar.cta;", missing},
       {proxy, "setp.eq.u32 %p3, %laneid, 0; @%p3 " + proxy, missing},
       {"bar.sync 0;", "", "race in shared memory"},
       {"bar.sync 0;", "setp.eq.u32 %p3, %warpid, 0; bar.sync 0; @%p3 st.shared.u32 [%r1], %r2; bar.sync 0;", missing},
       {proxy, copy + proxy + landed, missing},
       {proxy, copy + landed + proxy, ""},
       {proxy, "fence.proxy.async.shared::cta;", ""},
       {proxy + "\nbar.sync 0;", "bar.sync 0; " + proxy, ""},
       {proxy + "\nbar.sync 0;", "bar.sync 0; setp.eq.u32 %p3, %warpid, 0; @%p3 " + proxy, missing}});
}

TEST(EmulatedGroupProduct, ReadsItsOperandsUntilTheWait) {
  ProductCase it({16, "f32", "f16", false, false, true});
  const std::string zero = "st.shared.b32 [%r0], 0;\n";
  it.expect({{wait(0), zero + wait(0), "race in shared memory"}});
  it.kernel = it.kernel.with(
      wait(0), "mov.u32 %r30, %tid.x;\nsetp.eq.u32 %p2, %r30, 0;\n@%p2 " + zero + "fence.proxy.async;\n" + wait(0));
  const auto changed = it.run();
  EXPECT_NE(changed[0], it.sums[0]);    // row 0
  EXPECT_EQ(changed[32], it.sums[32]);  // lane 4: row 1
}

TEST(EmulatedGroupProduct, KeepsRegistersOfAUntilTheWait) {
  ProductCase it({16, "f32", "f16", false, false, true, 1, true});
  ASSERT_EQ(it.run(), it.sums);
  it.expect({{fence, fence + "mov.b32 %r8, 0;\n", no_fence},
             {wait(0), "mov.b32 %r8, 0;\n" + wait(0), early},
             {wait(0), wait(0) + "mov.b32 %r8, 0;\n", ""}});
}

TEST(EmulatedGroupProduct, LaterGroupsStayUnderWay) {
  const GroupProduct product{16, "f32", "f16", false, false, true};
  ProductCase it(product);
  it.kernel = it.kernel.with(commit + wait(0), commit + commit + wait(1) + wait(0));  // the second group is empty
  EXPECT_EQ(it.run(), it.sums);
  const std::string two = commit + commit + wait(1), full = commit + product.instruction(1) + commit + wait(1);
  it.expect({{two, full, ""}, {two, full + "mov.f32 %f0, %f64;\n", early}});
}

TEST(EmulatedGroupProduct, FindsWrongDescriptorsAndGroups) {
  ProductCase it({16, "f32", "f16"});
  const std::string first = "setp.eq.u32 %p3, %warpid, 0;\n@%p3 ", different = "the warps of a group execute different";
  it.expect({{fence, "or.b64 %rd10, %rd10, 0x2000000000000;\n" + fence, "base offset"},
             {fence, "add.s64 %rd10, %rd10, 1;\n" + fence, "no multiple of 32"},
             {fence, "or.b64 %rd10, %rd10, 0x4000;\n" + fence, "must be 0"},
             {fence, "and.b64 %rd10, %rd10, 0x3fffffffffffffff;\n" + fence, "another swizzle"},
             {fence, "or.b64 %rd10, %rd10, 0x3ffe;\n" + fence, "out of the block's shared memory"},
             {fence, "add.s64 %rd10, %rd10, %o1;\n" + fence, "different descriptors"},
             {fence, first + "add.s64 %rd10, %rd10, 2;\n" + fence, different},
             {fence, first + "setp.eq.u32 %p0, 0, 0;\n" + fence, different},
             {fence, first + fence + fence, different},
             {"st.global.b32 [%rd3+0]", first + fence + "st.global.b32 [%rd3+0]", "that other warps of the group"},
             {", 1, 1, 0, 0;", ", 1, -1, 0, 0;", "numbers at its end"}});
  it.kernel.threads = 96;
  it.expect({{fence, fence, "four warps"}});
}

}  // namespace
}  // namespace gable::emulated
