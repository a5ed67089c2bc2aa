#include <gtest/gtest.h>

#include <vector>

#include "operators/device/tile/host.hpp"

/// The tile's host form: operands staged from any place into panels, multiplied, and compared with sums of whole
/// numbers so small that every type and every order of summing gives them exactly.
namespace gable::device::tile {
namespace {

/// A whole number in [-8, 8], which depends on its place only.
int number_at(Index row, Index column) { return static_cast<int>((row * 7 + column * 5 + row * column) % 17) - 8; }
/// The same, where int8 has its ends: -128 and 127.
template <class T>
int value_at(Index row, Index column) {
  const int number = number_at(row, column);
  if constexpr (std::is_integral_v<T>) return number == -8 ? -128 : number == 8 ? 127 : number;
  return number;
}

/// Rows x columns of number_at, each row followed by numbers that belong to nobody, and as many after the last.
template <class T>
struct Matrix {
  static constexpr Index beyond = 3;
  Index stride;
  std::vector<T> element;

  Matrix(Index rows, Index columns)
      : stride(columns + beyond), element(static_cast<std::size_t>((rows + 1) * stride), from_double<T>(100)) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        element[static_cast<std::size_t>(i * stride + j)] = from_double<T>(value_at<T>(i, j));
      }
    }
  }
};

/// The same `width` x `depth` operand, element (w, k) being number_at(w, k) or number_at(k, w), as a panel.
enum class Stored { across, along };
template <int width, class T>
std::vector<Staged<T>> panel_of(Stored stored, int count, Index depth) {
  std::vector<Staged<T>> panel(static_cast<std::size_t>(staged_depth<T>(depth) * width), Staged<T>(77));
  const bool across = stored == Stored::across;
  const Matrix<Source<T>> source(across ? count : depth, across ? depth : count);
  if constexpr (!std::is_integral_v<T>) {
    if (!across) {
      stage_along<width, T>(panel.data(), source.element.data(), source.stride, count, depth, Accumulate<T>(1));
      return panel;
    }
  }
  stage_across<width, T>(panel.data(), source.element.data(), source.stride, count, depth, Accumulate<T>(1));
  return panel;
}

template <class T>
class HostTile : public testing::Test {};
using Types = testing::Types<double, float, Fp16, Bf16, PairedBf16, std::int8_t>;
TYPED_TEST_SUITE(HostTile, Types);

template <class T>
void expect_product(Stored left, Stored right, int height, int across, Index depth) {
  constexpr int rows = Shape<T>::rows, columns = Shape<T>::columns, lanes = Shape<T>::lanes;
  auto a = panel_of<rows, T>(left, height, depth);
  as_left<T>(a.data(), std::ssize(a));
  const auto b = panel_of<columns, T>(right, across, depth);
  Accumulator<T> sums;
  sums.clear();
  multiply(sums, LeftPanel<T>{a.data()}, RightPanel<T>{b.data()}, staged_depth<T>(depth));
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      int want = 0;
      for (Index k = 0; k < depth && r < height && c < across; ++k) {
        want += (left == Stored::across ? value_at<T>(r, k) : value_at<T>(k, r)) *
                (right == Stored::across ? value_at<T>(c, k) : value_at<T>(k, c));
      }
      ASSERT_EQ(static_cast<double>(sums.value[r][c / lanes][c % lanes]), want)
          << "row " << r << " of " << height << " column " << c << " of " << across << " depth " << depth;
    }
  }
}

/// Whole panels and such with rows or columns missing, which count as 0; depths of less than a vector, of whole ones,
/// and such whose last group is not full.
TYPED_TEST(HostTile, MultipliesWhatItStagedExactly) {
  using T = TypeParam;
  constexpr int rows = Shape<T>::rows, columns = Shape<T>::columns, lanes = Shape<T>::lanes;
  for (const Index depth : {1, 2, 3, 5, 2 * lanes, 2 * lanes + 1, 4 * lanes + 7}) {
    for (const int height : {rows, rows - 1, 1}) {
      for (const int across : {columns, columns - 1, lanes, 1}) {
        expect_product<T>(Stored::across, Stored::across, height, across, depth);
        if (std::is_integral_v<T>) continue;  // which no product has along
        expect_product<T>(Stored::across, Stored::along, height, across, depth);
        expect_product<T>(Stored::along, Stored::along, height, across, depth);
      }
    }
  }
}

/// A product takes pairs exactly where the processor multiplies them in one instruction.
TEST(HostTile, Bf16IsPairedWhereThereIsAnInstruction) {
#if defined(__AVX512BF16__)
  constexpr bool wanted = register_bytes == 64;
#else
  constexpr bool wanted = false;
#endif
  EXPECT_EQ((std::is_same_v<OperandOf<Bf16>, PairedBf16>), wanted);
  EXPECT_TRUE((std::is_same_v<OperandOf<Fp16>, Fp16>));
}

}  // namespace
}  // namespace gable::device::tile
