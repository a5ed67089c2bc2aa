// ldmatrix and mma.sync. Places of elements are those of the PTX ISA, "Matrix Fragments for mma" and
// "ldmatrix": g is groupID = lane / 4, t is threadID_in_group = lane % 4.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

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

using Registers = std::vector<std::vector<std::uint64_t>>;  ///< [register][lane]

template <class PlaceOf>
Registers fragments(const WholeMatrix& matrix, const NumberFormat& format, PlaceOf&& place_of) {
  const int per = per_register(format), elements = matrix.rows * matrix.columns / 32;
  Registers registers(static_cast<std::size_t>(elements / per), std::vector<std::uint64_t>(32));
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const Place place = place_of(lane, i);
      registers[static_cast<std::size_t>(i / per)][static_cast<std::size_t>(lane)] |=
          format.encode(matrix.at(place.row, place.column)) << format.bits * (i % per);
    }
  }
  return registers;
}

struct Product {
  int rows, depth;
  std::string sum, type;

  std::string name() const {
    return "mma.sync.aligned.m" + std::to_string(rows) + "n8k" + std::to_string(depth) + ".row.col." + sum + "." +
           type + "." + type + "." + sum;
  }
};

std::string register_name(const NumberFormat& format, std::size_t number) {
  return (format.bits == 64 ? "%fd" : format.name == "f32" ? "%f" : "%r") + std::to_string(number);
}

/// Runs it, and returns the registers of D, which are number 48 and those behind it.
Registers run(const Product& product, const WholeMatrix& a, const WholeMatrix& b, const WholeMatrix& c) {
  const NumberFormat type = number_format(product.type), sum = number_format(product.sum);
  const int per = per_register(type);
  Registers inputs;
  const auto add = [&](const NumberFormat& format, const Registers& registers) {
    std::string list;
    for (const auto& one : registers) {
      list += (list.empty() ? "{" : ", ") + register_name(format, inputs.size());
      inputs.push_back(one);
    }
    return ", " + list + "}";
  };
  const auto addend = fragments(c, sum, place_of_c);
  std::string results;
  for (std::size_t i = 0; i < addend.size(); ++i) results += (i == 0 ? " {" : ", ") + register_name(sum, 48 + i);
  std::string statement = product.name() + results + "}";
  statement += add(type, fragments(a, type, [&](int lane, int i) { return place_of_a(product.rows, per, lane, i); }));
  statement += add(type, fragments(b, type, [&](int lane, int i) { return place_of_b(per, lane, i); }));
  statement += add(sum, addend) + ";";
  Registers sums;
  for (std::size_t i = 0; i < addend.size(); ++i) {
    sums.push_back(in_lanes(statement, register_name(sum, 48 + i), sum.bits == 64 ? 64 : 32, inputs));
  }
  return sums;
}

TEST(EmulatedMatrix, MultipliesWholeNumbersOfEveryTypeAndShape) {
  const Product products[] = {{16, 16, "f32", "f16"},  {16, 8, "f32", "f16"},   {16, 16, "f16", "f16"},
                              {16, 16, "f32", "bf16"}, {16, 8, "f32", "tf32"},  {8, 4, "f64", "f64"},
                              {16, 4, "f64", "f64"},   {16, 16, "f64", "f64"},  {16, 32, "s32", "s8"},
                              {16, 64, "s32", "s4"},   {16, 32, "f32", "e4m3"}, {16, 32, "f16", "e5m2"}};
  std::uint32_t seed = 1;
  for (const Product& product : products) {
    SCOPED_TRACE(product.name());
    const auto a = WholeMatrix::random(product.rows, product.depth, ++seed);
    const auto b = WholeMatrix::random(product.depth, 8, ++seed);
    const auto c = WholeMatrix::random(product.rows, 8, ++seed);
    EXPECT_EQ(run(product, a, b, c), fragments(multiplied(a, b, c), number_format(product.sum), place_of_c));
  }
}

TEST(EmulatedMatrix, WholeSumsWrapAround) {
  WholeMatrix a(16, 32), b(32, 8), c(16, 8);
  for (auto* matrix : {&a, &b}) std::fill(matrix->numbers.begin(), matrix->numbers.end(), 100);
  std::fill(c.numbers.begin(), c.numbers.end(), 0x7ffffff0);
  EXPECT_EQ(run({16, 32, "s32", "s8"}, a, b, c), fragments(multiplied(a, b, c), number_format("s32"), place_of_c));
}

/// A sum of `depth` products of `pattern`, in all elements of A, with `one` in those of B.
float sum_of_patterns(int depth, const std::string& type, const std::string& pattern, const std::string& one) {
  const std::string statement = "mov.b32 %r0, " + pattern + "; mov.b32 %r1, " + one + "; mov.f32 %f0, 0f00000000;" +
                                Product{16, depth, "f32", type}.name() +
                                " {%f1, %f2, %f3, %f4}, {%r0, %r0, %r0, %r0}, {%r1, %r1}, {%f0, %f0, %f0, %f0};";
  return std::bit_cast<float>(static_cast<std::uint32_t>(in_lanes(statement, "%f4", 32, {})[31]));
}

TEST(EmulatedMatrix, ReadsUnusualNumbers) {
  EXPECT_EQ(sum_of_patterns(8, "tf32", "0x3f801fff", "0x3f800000"), 8);         // the lower 13 bits are not read
  EXPECT_EQ(sum_of_patterns(16, "f16", "0x00010001", "0x3c003c00"), 0x1p-20F);  // 16 x 2^-24
  EXPECT_EQ(sum_of_patterns(16, "f16", "0xfc00fc00", "0x3c003c00"), -INFINITY);
  EXPECT_TRUE(std::isnan(sum_of_patterns(16, "bf16", "0x7fc07fc0", "0x3f803f80")));
  EXPECT_EQ(sum_of_patterns(32, "e4m3", "0x01010101", "0x38383838"), 0x1p-4F);  // 32 x 2^-9
  EXPECT_TRUE(std::isnan(sum_of_patterns(32, "e4m3", "0x7f7f7f7f", "0x38383838")));
}

TEST(EmulatedMatrix, ProductsOfFp64AreNotRounded) {
  const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
  Registers inputs(3, std::vector<std::uint64_t>(32, bits(-1)));
  for (std::size_t lane = 0; lane < 32; ++lane) {
    inputs[0][lane] = bits(1 + 0x1p-30);
    inputs[1][lane] = lane % 4 == 0 ? bits(1 - 0x1p-30) : 0;  // k = 0
  }
  const std::string statement = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd3, %fd4}, {%fd0}, {%fd1}, ";
  EXPECT_EQ(in_lanes(statement + "{%fd2, %fd2};", "%fd4", 64, inputs)[31], bits(-0x1p-60));
}

TEST(EmulatedMatrix, RefusesWhatIsNoMma) {
  const std::string mma = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16";
  expect_faults({mma + " {%r0, %r1}, {%r0, %r1}, {%r0}, {%r0, %r1};"},
                {{mma, mma, ""},
                 {mma, "setp.lt.s64 %p0, %o1, 31; @%p0 " + mma, "all lanes"},
                 {"m16n8k8", "m8n8k4", "not supported"},
                 {"f16.f16.f16.f16", "f32.f16.bf16.f32", "not supported"},
                 {"col", "col.satfinite", "not supported"},
                 {"f16.f16.f16.f16", "f32.f16.f16.f32", "number of registers"}});
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

TEST(EmulatedMatrix, FindsWrongLoads) {
  std::vector<std::uint32_t> elements(64 * 4);
  const PtxKernel kernel{
      copied_to_shared + "mov.u32 %r1, memory;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r1+512];",
      shared_declaration, 64, 1, 2048};
  expect_faults(kernel,
                {{"x1", "x1", ""},
                 {"bar.sync 0;", "", "race"},
                 {"[%r1+512]", "[%r1+2048]", "out of"},
                 {"[%r1+512]", "[%r1+8]", "misaligned"},
                 {"x1", "x2", "as many registers"}},
                elements);
}

}  // namespace
}  // namespace gable::emulated
