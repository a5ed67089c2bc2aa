// ldmatrix, stmatrix and mma.sync. Places of elements are those of the PTX ISA, "Matrix Fragments for mma" and
// "ldmatrix": g is groupID = lane / 4, t is threadID_in_group = lane % 4.
#include <gtest/gtest.h>

#include "tests/gpu/emulated/ptx_kernel.hpp"
#include "tests/gpu/emulated/whole_matrix.hpp"

namespace gable::emulated {
namespace {

struct Place {
  int row, column;
};

/// Elements that a register holds.
int per_register(const NumberFormat& format) { return format.bits >= 32 ? 1 : 32 / format.bits; }

// Element i of a lane. A: rows g and g + 8 in turns of a register; B likewise, of column g; C and D: two columns a row.
Place place_of_a(int rows, int per, int lane, int i) {
  const int g = lane / 4, t = lane % 4, in_turn = i / per;
  if (rows == 8) return {g, t * per + i % per + 4 * per * in_turn};
  return {in_turn % 2 == 0 ? g : g + 8, t * per + i % per + 4 * per * (in_turn / 2)};
}
Place place_of_b(int per, int lane, int i) { return {lane % 4 * per + i % per + 4 * per * (i / per), lane / 4}; }
Place place_of_c(int lane, int i) { return {i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + i % 2}; }

/// The registers of all lanes: those of a lane side by side, each of 8 bytes.
template <class PlaceOf>
std::vector<std::uint64_t> fragments(const WholeMatrix& matrix, const NumberFormat& format, PlaceOf&& place_of) {
  const int per = per_register(format), elements = matrix.rows * matrix.columns / 32;
  std::vector<std::uint64_t> registers(static_cast<std::size_t>(32 * elements / per));
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const Place place = place_of(lane, i);
      registers[static_cast<std::size_t>((lane * elements + i) / per)] |=
          format.encode(matrix.at(place.row, place.column)) << format.bits * (i % per);
    }
  }
  return registers;
}

struct Operand {
  std::string prefix;  ///< of its registers
  int first, bits;
  std::size_t count;

  std::string name(std::size_t i) const { return prefix + std::to_string(first + static_cast<int>(i)); }
  std::string list() const {
    std::string text = name(0);
    for (std::size_t i = 1; i < count; ++i) text += ", " + name(i);
    return "{" + text + "}";
  }
  /// Loads or stores the registers of a lane, which lie side by side in a buffer.
  std::string moved(const std::string& buffer, bool load) const {
    std::string text = "mad.lo.s64 %rd255, %o8, " + std::to_string(count) + ", " + buffer + ";\n";
    for (std::size_t i = 0; i < count; ++i) {
      const std::string place = "[%rd255+" + std::to_string(8 * i) + "]", type = ".b" + std::to_string(bits) + " ";
      text += load ? "ld.global" + type + name(i) + ", " + place + ";\n"
                   : "st.global" + type + place + ", " + name(i) + ";\n";
    }
    return text;
  }
};

Operand operand(const NumberFormat& format, int first, std::size_t registers_of_all_lanes) {
  const std::size_t count = registers_of_all_lanes / 32;
  if (format.bits == 64) return {"%fd", first, 64, count};
  return {format.name == "f32" ? "%f" : "%r", first, 32, count};
}

struct Product {
  int rows, depth;
  std::string sum, left, right;
  std::string modifier = "";

  std::string name() const {
    return "mma.sync.aligned.m" + std::to_string(rows) + "n8k" + std::to_string(depth) + ".row.col" + modifier + "." +
           sum + "." + left + "." + right + "." + sum;
  }
};

/// Runs it, and returns the registers of D.
std::vector<std::uint64_t> run(const Product& product, const WholeMatrix& a, const WholeMatrix& b,
                               const WholeMatrix& c) {
  const NumberFormat left = number_format(product.left), right = number_format(product.right),
                     sum = number_format(product.sum);
  auto a_registers =
      fragments(a, left, [&](int lane, int i) { return place_of_a(product.rows, per_register(left), lane, i); });
  auto b_registers = fragments(b, right, [&](int lane, int i) { return place_of_b(per_register(right), lane, i); });
  auto c_registers = fragments(c, sum, place_of_c);
  std::vector<std::uint64_t> d_registers(c_registers.size());
  const Operand a_operand = operand(left, 0, a_registers.size()), b_operand = operand(right, 16, b_registers.size()),
                c_operand = operand(sum, 32, c_registers.size()), d_operand = operand(sum, 48, c_registers.size());
  PtxKernel{a_operand.moved("%b0", true) + b_operand.moved("%b1", true) + c_operand.moved("%b2", true) +
            product.name() + " " + d_operand.list() + ", " + a_operand.list() + ", " + b_operand.list() + ", " +
            c_operand.list() + ";\n" + d_operand.moved("%b3", false)}
      .run(a_registers, b_registers, c_registers, d_registers);
  return d_registers;
}

TEST(EmulatedMatrix, MultipliesWholeNumbersOfEveryTypeAndShape) {
  const Product products[] = {
      {16, 8, "f32", "f16", "f16"},    {16, 16, "f32", "f16", "f16"},   {16, 8, "f16", "f16", "f16"},
      {16, 16, "f16", "f16", "f16"},   {16, 8, "f32", "bf16", "bf16"},  {16, 16, "f32", "bf16", "bf16"},
      {16, 4, "f32", "tf32", "tf32"},  {16, 8, "f32", "tf32", "tf32"},  {8, 4, "f64", "f64", "f64"},
      {16, 4, "f64", "f64", "f64"},    {16, 8, "f64", "f64", "f64"},    {16, 16, "f64", "f64", "f64"},
      {16, 16, "s32", "s8", "s8"},     {16, 32, "s32", "s8", "u8"},     {16, 32, "s32", "u8", "u8"},
      {8, 16, "s32", "s8", "s8"},      {16, 32, "s32", "s4", "s4"},     {16, 64, "s32", "s4", "u4"},
      {8, 32, "s32", "u4", "u4"},      {16, 32, "f32", "e4m3", "e4m3"}, {16, 32, "f32", "e4m3", "e5m2"},
      {16, 32, "f32", "e5m2", "e5m2"}, {16, 32, "f16", "e4m3", "e4m3"}};
  std::uint32_t seed = 1;
  for (const Product& product : products) {
    SCOPED_TRACE(product.name());
    const auto a = WholeMatrix::random(product.rows, product.depth, number_format(product.left).is_signed, ++seed);
    const auto b = WholeMatrix::random(product.depth, 8, number_format(product.right).is_signed, ++seed);
    const auto c = WholeMatrix::random(product.rows, 8, true, ++seed);
    EXPECT_EQ(run(product, a, b, c), fragments(multiplied(a, b, c), number_format(product.sum), place_of_c));
  }
}

TEST(EmulatedMatrix, WholeSumsWrapAroundOrSaturate) {
  const WholeMatrix a = WholeMatrix::random(16, 16, false, 1), b = WholeMatrix::random(16, 8, false, 2);
  WholeMatrix c(16, 8), wrapped(16, 8), saturated(16, 8);
  for (auto& number : c.numbers) number = 0x7ffffff0;
  const WholeMatrix sums = multiplied(a, b, c);
  for (std::size_t i = 0; i < sums.numbers.size(); ++i) {
    wrapped.numbers[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums.numbers[i]));
    saturated.numbers[i] = std::min<std::int64_t>(sums.numbers[i], 0x7fffffff);
  }
  const NumberFormat sum = number_format("s32");
  EXPECT_EQ(run({16, 16, "s32", "s8", "s8"}, a, b, c), fragments(wrapped, sum, place_of_c));
  EXPECT_EQ(run({16, 16, "s32", "s8", "s8", ".satfinite"}, a, b, c), fragments(saturated, sum, place_of_c));
}

TEST(EmulatedMatrix, ReadsTheUpperBitsOfTf32) {
  PtxKernel kernel{
      "mov.b32 %r0, 0x3f801fff;\nmov.f32 %f0, 0f00000000;\nmma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
      "{%f1, %f2, %f3, %f4}, {%r0, %r0}, {%r0}, {%f0, %f0, %f0, %f0};\nadd.s64 %b0, %b0, %o4;\nst.global.f32 [%b0], "
      "%f4;"};
  std::vector<float> sums(32);
  kernel.run(sums);
  EXPECT_EQ(sums, std::vector<float>(32, 4));
}

TEST(EmulatedMatrix, RefusesWhatIsNoMma) {
  const auto failure = [](const std::string& statement) { return PtxKernel{statement}.failure(); };
  const std::string one = "{%r0, %r1}, {%r0, %r1}, {%r0}, {%r0, %r1};";
  EXPECT_NE(failure("mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 " + one).find("not supported"),
            std::string::npos);
  EXPECT_NE(failure("mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32 " + one).find("not supported"),
            std::string::npos);
  EXPECT_NE(failure("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " + one).find("number of registers"),
            std::string::npos);
  const std::string fitting = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 " + one;
  EXPECT_EQ(failure(fitting), "");
  EXPECT_NE(failure("setp.lt.s64 %p0, %o1, 31;\n@%p0 " + fitting).find("all lanes"), std::string::npos);
}

/// Brings buffer 0 into shared memory, 16 bytes a thread.
const std::string copied_to_shared =
    "add.s64 %rd0, %b0, %o16;\nmov.u32 %r0, memory;\ncvt.u32.u64 %r1, %o16;\nadd.u32 %r1, %r1, %r0;\n"
    "ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd0];\nst.shared.v4.b32 [%r1], {%r2, %r3, %r4, %r5};\nbar.sync 0;\n";
const char* const shared_declaration = ".extern .shared .align 16 .b8 memory[];";

TEST(EmulatedMatrix, LoadsMatricesFromTheAddressesOfLanes) {
  std::vector<std::uint16_t> elements(32 * 8);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint16_t>(1000 + 7 * i);
  for (const int matrices : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      SCOPED_TRACE(matrices);
      const std::string list = matrices == 1 ? "{%r10}" : matrices == 2 ? "{%r10, %r11}" : "{%r10, %r11, %r12, %r13}";
      // lane l names row 31 - l
      PtxKernel kernel{copied_to_shared +
                           "cvt.u32.u64 %r6, %o16;\nsub.u32 %r6, %r0, %r6;\nldmatrix.sync.aligned.m8n8.x" +
                           std::to_string(matrices) + (transposed ? ".trans" : "") + ".shared.b16 " + list +
                           ", [%r6+496];\nadd.s64 %b1, %b1, %o16;\n",
                       shared_declaration, 32, 1, 512};
      for (int m = 0; m < matrices; ++m) {
        kernel.statements += "st.global.b32 [%b1+" + std::to_string(4 * m) + "], %r1" + std::to_string(m) + ";\n";
      }
      std::vector<std::uint32_t> loaded(32 * 4);
      kernel.run(elements, loaded);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t m = 0; m < static_cast<std::size_t>(matrices); ++m) {
          const auto element = [&](std::size_t row, std::size_t column) {
            return std::uint32_t{elements[(31 - 8 * m - row) * 8 + column]};
          };
          const std::size_t g = lane / 4, t = lane % 4;
          EXPECT_EQ(loaded[4 * lane + m], transposed ? element(2 * t, g) | element(2 * t + 1, g) << 16
                                                     : element(g, 2 * t) | element(g, 2 * t + 1) << 16);
        }
      }
    }
  }
}

TEST(EmulatedMatrix, StoresWhatItLoads) {
  std::vector<std::uint32_t> elements(32 * 4), stored(32 * 4);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint32_t>(i * 2654435761U);
  PtxKernel{copied_to_shared +
                "mov.u32 %r10, %r1;\n"
                "ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 {%r10, %r11, %r12, %r13}, [%r10];\n"
                "cvta.shared.u64 %rd1, memory;\nadd.s64 %rd1, %rd1, %o16;\n"
                "stmatrix.sync.aligned.m8n8.x4.trans.b16 [%rd1+512], {%r10, %r11, %r12, %r13};\nbar.sync 0;\n"
                "ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r1+512];\nadd.s64 %b1, %b1, %o16;\n"
                "st.global.v4.b32 [%b1], {%r2, %r3, %r4, %r5};",
            shared_declaration, 32, 1, 1024}
      .run(elements, stored);
  EXPECT_EQ(stored, elements);
}

TEST(EmulatedMatrix, FindsWrongLoads) {
  std::vector<std::uint32_t> elements(64 * 4);
  const PtxKernel kernel{
      copied_to_shared + "mov.u32 %r1, memory;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r1+512];",
      shared_declaration, 64, 1, 2048};
  EXPECT_EQ(kernel.failure(elements), "");
  EXPECT_NE(kernel.with("bar.sync 0;", "").failure(elements).find("race"), std::string::npos);
  EXPECT_NE(kernel.with("[%r1+512]", "[%r1+2048]").failure(elements).find("out of"), std::string::npos);
  EXPECT_NE(kernel.with("[%r1+512]", "[%r1+8]").failure(elements).find("misaligned"), std::string::npos);
  EXPECT_NE(kernel.with("x1", "x2").failure(elements).find("as many registers"), std::string::npos);
}

}  // namespace
}  // namespace gable::emulated
