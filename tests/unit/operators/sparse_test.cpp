#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/operator.hpp"
#include "operators/sparse/matrix.hpp"

namespace gable::operators::sparse {
namespace {

std::string written(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name + ".mtx";
  std::ofstream(path) << text;
  return path;
}

std::vector<std::vector<double>> dense(const Matrix& matrix) {
  std::vector<std::vector<double>> all(static_cast<std::size_t>(matrix.rows),
                                       std::vector<double>(static_cast<std::size_t>(matrix.columns)));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (auto k = static_cast<std::size_t>(matrix.offset[i]); k < static_cast<std::size_t>(matrix.offset[i + 1]); ++k) {
      all[i][static_cast<std::size_t>(matrix.column[k])] += matrix.value[k];
    }
  }
  return all;
}

/// The error's text behind the path of the file.
std::string refusal(const std::string& text) {
  const std::string path = written("refused", text);
  try {
    read_matrix_market(path);
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(path + ":")) << what;
    return what.substr(path.size() + 1);
  }
  return "nothing refused";
}

TEST(MatrixMarket, ReadsGeneralEntriesInAnyOrder) {
  const Matrix matrix = read_matrix_market(
      written("general",
              "%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 4 4\n3 4 -1.5e1\n1 2 2\n% "
              "another\n3 1 0.5\n1 1 7\n"));
  EXPECT_EQ(matrix.offset, (std::vector<std::int32_t>{0, 2, 2, 4}));
  EXPECT_EQ(dense(matrix), (std::vector<std::vector<double>>{{7, 2, 0, 0}, {0, 0, 0, 0}, {0.5, 0, 0, -15}}));
}

TEST(MatrixMarket, FillsInTheOtherHalf) {
  EXPECT_EQ(dense(read_matrix_market(
                written("symmetric", "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 3\n2 1 -4\n"))),
            (std::vector<std::vector<double>>{{3, -4}, {-4, 0}}));
  EXPECT_EQ(dense(read_matrix_market(
                written("pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 2\n2 1\n"))),
            (std::vector<std::vector<double>>{{0, 1}, {1, 1}}));
  EXPECT_EQ(dense(read_matrix_market(
                written("skew", "%%MatrixMarket matrix coordinate real skew-symmetric\r\n2 2 1\r\n2 1 5\r\n"))),
            (std::vector<std::vector<double>>{{0, -5}, {5, 0}}));
}

TEST(MatrixMarket, NamesFileAndLineOfWhatItRefuses) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(refusal("1 1 1\n1 1 1\n"), "1: no line '%%MatrixMarket matrix ...'");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n"), "1: format 'array' is not coordinate");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate complex general\n"),
            "1: values 'complex' are not real, integer or pattern");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real hermitian\n"),
            "1: symmetry 'hermitian' is not general, symmetric or (with values) skew-symmetric");
  EXPECT_EQ(refusal(head + "2 2\n"), "2: '2 2' is not the numbers that belong here");
  EXPECT_EQ(refusal(head + "2 2 1\n3 1 1\n"), "3: row 3 is not within 1 to 2");
  EXPECT_EQ(refusal(head + "2 2 1\n1 0 1\n"), "3: column 0 is not within 1 to 2");
  EXPECT_EQ(refusal(head + "2 2 1\n1 1\n"), "3: '1 1' has no value");
  EXPECT_EQ(refusal(head + "2 2 1\n1 1 1 1\n"), "3: '1 1 1 1' is not the numbers that belong here");
  EXPECT_EQ(refusal(head + "2 2 2\n1 1 1\n"), "4: 2 entries announced, 1 found");
  const std::string many = head + "2 2 2000000000\n";
  EXPECT_EQ(refusal(many),
            fmt::format("2: 2000000000 entries announced, a file of {} bytes cannot hold them", many.size()));
  EXPECT_EQ(refusal(head + "2 2 1\n1 1 1\n2 2 1\n"), "4: more than the 1 entries announced");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"),
            "3: an entry above the diagonal of a symmetric matrix");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n"),
            "2: a symmetric matrix must be square");
  EXPECT_THROW(read_matrix_market(testing::TempDir() + "missing.mtx"), Error);
}

TEST(SparseMatrix, ShapesAreThoseOfTheMatrices) {
  for (const Params& params : {Params{"banded", 50, 7}, Params{"random", 50, 7}, Params{"stencil5", 49, 5},
                               Params{"stencil27", 64, 27}, Params{"stencil27", 1, 27}}) {
    const auto matrix = matrix_of(params);
    EXPECT_EQ(shape_of(params).entries, matrix->entries()) << params.matrix;
    const auto lengths = row_lengths(params);
    ASSERT_EQ(lengths.size(), static_cast<std::size_t>(params.rows));
    for (std::size_t i = 0; i < static_cast<std::size_t>(params.rows); ++i) {
      ASSERT_EQ(lengths[i], matrix->offset[i + 1] - matrix->offset[i]);
      for (auto k = static_cast<std::size_t>(matrix->offset[i]); k < static_cast<std::size_t>(matrix->offset[i + 1]);
           ++k) {
        ASSERT_GE(matrix->column[k], 0);
        ASSERT_LT(matrix->column[k], params.rows);
        if (k > static_cast<std::size_t>(matrix->offset[i])) {
          ASSERT_GT(matrix->column[k], matrix->column[k - 1]);
        }
      }
    }
  }
  EXPECT_EQ(matrix_of({"stencil5", 9, 5})->column[0], 0);
  EXPECT_EQ(shape_of({"stencil5", 9, 5}).entries, 9 + 24);  // each of 12 neighbourhoods from both sides
}

TEST(SparseMatrix, RefusesWhatDoesNotGoTogether) {
  EXPECT_THROW(check({"stencil5", 50, 5}), Error);
  EXPECT_THROW(check({"stencil5", 49, 7}), Error);
  EXPECT_THROW(check({"stencil27", 49, 27}), Error);
  EXPECT_THROW(check({"banded", 5, 7}), Error);
  EXPECT_THROW(check({"band", 5, 5}), Error);
  EXPECT_THROW(check({"random", 1 << 20, 1 << 12}), Error);
  EXPECT_THROW(check({"a.mtx", 5, 1}), Error);
}

/// Every entry is in its row's place, and what pads a slice is marked.
TEST(Sell, HoldsTheRowsOfTheMatrix) {
  const auto matrix = matrix_of({"stencil5", 1600, 5});
  const auto sell = sell_of(*matrix);
  std::vector<int> seen(1600);
  Index entries = 0;
  for (std::size_t r = 0; r < sell->slices.row.size(); ++r) {
    const auto row = static_cast<std::size_t>(sell->slices.row[r]);
    ++seen.at(row);
    std::int32_t k = sell->slices.offset[r / slice_rows] + static_cast<std::int32_t>(r % slice_rows);
    for (auto e = matrix->offset[row]; e < matrix->offset[row + 1]; ++e, k += slice_rows, ++entries) {
      ASSERT_EQ(sell->column.at(static_cast<std::size_t>(k)), matrix->column[static_cast<std::size_t>(e)]);
    }
    for (; k < sell->slices.offset[r / slice_rows + 1]; k += slice_rows) {
      ASSERT_EQ(sell->column[static_cast<std::size_t>(k)], -1);
      ASSERT_EQ(sell->value[static_cast<std::size_t>(k)], 0);
    }
  }
  EXPECT_EQ(entries, matrix->entries());
  EXPECT_EQ(seen, std::vector<int>(1600, 1));
}

/// Compulsory work of the model: 12nnz + 4(m + 1) + 8(m + n) bytes in fp64.
TEST(SparseWork, IsThatOfTheModel) {
  const gable::Params params{{"matrix", std::string("banded")}, {"rows", 100}, {"per_row", 10}};
  const auto csr = find_spec("spmv_csr").work(params, uniform_types(DType::fp64)).front();
  EXPECT_EQ(flops(csr), 2000);
  EXPECT_EQ(csr.bytes_read + csr.bytes_written, 12 * 1000 + 4 * 101 + 8 * 200);
  EXPECT_EQ(csr.bytes_written, 800);
  const auto sell = find_spec("spmv_sell").work(params, uniform_types(DType::fp32)).front();
  EXPECT_EQ(flops(sell), 2000);
  EXPECT_EQ(sell.bytes_read, 8 * 1000 + 4 * 5 + 4 * 100 + 4 * 100);
}

/// Of x each entry, where no order of columns is known beforehand: not in bands, nor where a row has an entry in every
/// page of x.
TEST(SparseWork, ReadsXAtRandomWhereColumnsAreRandom) {
  for (const char* name : {"spmv_csr", "spmv_sell"}) {
    const auto work = [&](const char* matrix, std::int64_t per_row) {
      const gable::Params params{{"matrix", std::string(matrix)}, {"rows", 4096}, {"per_row", per_row}};
      return find_spec(name).work(params, uniform_types(DType::fp64)).front();
    };
    EXPECT_EQ(work("random", 8).random_lines, 8 * 4096) << name;
    EXPECT_EQ(work("random", 8).random_span, 8 * 4096) << name;
    EXPECT_EQ(work("random", 9).random_lines, 0) << name;
    EXPECT_EQ(work("banded", 8).random_lines, 0) << name;
  }
}

/// A file's matrix and values, by way of an operator's parameters.
TEST(SparseWork, TakesAFile) {
  const std::string path =
      written("operator", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n2 3 -1\n2 1 4\n");
  for (const char* name : {"spmv_csr", "spmv_sell"}) {
    const gable::Params params = gable::Params::parse("matrix=" + path + ",rows=1,per_row=1");
    const OperatorSpec& spec = find_spec(name);
    const Types types = uniform_types(DType::fp64);
    EXPECT_EQ(flops(spec.work(params, types)), 6) << name;
    std::vector<std::vector<double>> inputs, outputs(1, std::vector<double>(2));
    for (const BufferSpec& buffer : spec.buffers(params, types)) {
      if (!is_read(buffer.role)) continue;
      auto& values = inputs.emplace_back();
      for (Index i = 0; i < buffer.count; ++i) {
        values.push_back(buffer.value ? buffer.value(i) : static_cast<double>(i + 1));
      }
    }
    spec.reference(params, inputs, outputs);
    EXPECT_EQ(outputs[0], (std::vector<double>{2 * 1, 4 * 1 - 1 * 3})) << name;
  }
}

}  // namespace
}  // namespace gable::operators::sparse
