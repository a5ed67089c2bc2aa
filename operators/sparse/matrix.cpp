#include "operators/sparse/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <optional>

#include "core/error.hpp"
#include "operators/common.hpp"

namespace gable::operators::sparse {
namespace {

constexpr Index most = 0x7fffffff;

/// Dimensions of the grid of a stencil; none if this is no stencil.
std::optional<int> dimensions(const Params& params) {
  if (params.matrix == "stencil5") return 2;
  if (params.matrix == "stencil27") return 3;
  return {};
}

Index side_of(const Params& params, int dimension) {
  const auto rows = static_cast<double>(params.rows);
  return static_cast<Index>(std::llround(dimension == 2 ? std::sqrt(rows) : std::cbrt(rows)));
}

Index power(Index base, int exponent) { return exponent == 2 ? base * base : base * base * base; }

void check_stencil(const Params& params, int dimension) {
  if (power(side_of(params, dimension), dimension) != params.rows) {
    throw Error(fmt::format("matrix '{}': rows={} is no {} number", params.matrix, params.rows,
                            dimension == 2 ? "square" : "cube"));
  }
  const Index points = dimension == 2 ? 5 : 27;
  if (params.per_row != points) {
    throw Error(fmt::format("matrix '{}': per_row is {}, not {}", params.matrix, points, params.per_row));
  }
}

class Rows {
 public:
  Rows(const Shape& shape) {
    matrix_.rows = shape.rows;
    matrix_.columns = shape.columns;
    matrix_.offset.reserve(static_cast<std::size_t>(shape.rows) + 1);
    matrix_.column.reserve(static_cast<std::size_t>(shape.entries));
    matrix_.offset.push_back(0);
  }
  void add(Index column) { matrix_.column.push_back(static_cast<std::int32_t>(column)); }
  void end_row() { matrix_.offset.push_back(static_cast<std::int32_t>(matrix_.column.size())); }
  std::shared_ptr<const Matrix> done() { return std::make_shared<const Matrix>(std::move(matrix_)); }

 private:
  Matrix matrix_;
};

void add_banded(const Params& params, Rows& rows) {
  for (Index i = 0; i < params.rows; ++i) {
    const Index first = std::clamp<Index>(i - params.per_row / 2, 0, params.rows - params.per_row);
    for (Index k = 0; k < params.per_row; ++k) rows.add(first + k);
    rows.end_row();
  }
}

void add_random(const Params& params, Rows& rows) {
  for (Index i = 0; i < params.rows; ++i) {
    for (Index k = 0; k < params.per_row; ++k) {
      const Index begin = params.rows * k / params.per_row, end = params.rows * (k + 1) / params.per_row;
      rows.add(begin + random_below(end - begin, i, k + 1));
    }
    rows.end_row();
  }
}

/// Calls use(column) for the entries of row i, ascending. In two dimensions without the corners.
template <class Use>
void for_each_neighbour(Index i, Index side, int dimension, Use&& use) {
  const auto inside = [side](Index x) { return x >= 0 && x < side; };
  const Index x = i % side, y = i / side % side, z = i / side / side;
  for (Index dz = dimension == 3 ? -1 : 0; dz <= (dimension == 3 ? 1 : 0); ++dz) {
    for (Index dy = -1; dy <= 1; ++dy) {
      for (Index dx = -1; dx <= 1; ++dx) {
        const bool corner = dimension == 2 && dx != 0 && dy != 0;
        if (corner || !inside(x + dx) || !inside(y + dy) || (dimension == 3 && !inside(z + dz))) continue;
        use(i + dx + side * (dy + side * dz));
      }
    }
  }
}

void add_stencil(const Params& params, int dimension, Rows& rows) {
  const Index side = side_of(params, dimension);
  for (Index i = 0; i < params.rows; ++i) {
    for_each_neighbour(i, side, dimension, [&](Index column) { rows.add(column); });
    rows.end_row();
  }
}

/// The last file that was read, as long as it does not change: plan, buffers and results ask for it one after another.
std::shared_ptr<const Matrix> matrix_in(const std::string& path) {
  struct Last {
    std::string path;
    std::filesystem::file_time_type written;
    std::uintmax_t size;
    std::shared_ptr<const Matrix> matrix;
  };
  static std::mutex mutex;
  static Last last{};
  const std::lock_guard lock(mutex);
  std::error_code unknown;
  const auto written = std::filesystem::last_write_time(path, unknown);
  const auto size = std::filesystem::file_size(path, unknown);
  if (unknown || last.path != path || last.written != written || last.size != size) {
    last.matrix.reset();
    last = {path, written, size, std::make_shared<const Matrix>(read_matrix_market(path))};
  }
  return last.matrix;
}

}  // namespace

bool is_file(const Params& params) { return params.matrix.ends_with(".mtx"); }

void check(const Params& params) {
  if (is_file(params)) {
    if (params.rows != 1 || params.per_row != 1) {
      throw Error(fmt::format("matrix '{}': a file has its own sizes: rows=1,per_row=1", params.matrix));
    }
    return;
  }
  if (const auto dimension = dimensions(params)) {
    check_stencil(params, *dimension);
  } else if (params.matrix != "banded" && params.matrix != "random") {
    throw Error(fmt::format("no matrix '{}': banded, stencil5, stencil27, random, or a MatrixMarket file (.mtx)",
                            params.matrix));
  } else if (params.per_row > params.rows) {
    throw Error(
        fmt::format("matrix '{}': per_row={} is more than rows={}", params.matrix, params.per_row, params.rows));
  }
  if (params.rows * params.per_row > most) {
    throw Error(fmt::format("matrix '{}': more than 2^31 - 1 entries", params.matrix));
  }
}

Shape shape_of(const Params& params) {
  check(params);
  if (is_file(params)) {
    const auto matrix = matrix_in(params.matrix);
    return {matrix->rows, matrix->columns, matrix->entries()};
  }
  Index entries = params.rows * params.per_row;
  if (const auto dimension = dimensions(params)) {
    const Index side = side_of(params, *dimension);
    entries = *dimension == 2 ? 5 * side * side - 4 * side : power(3 * side - 2, 3);
  }
  return {params.rows, params.rows, entries};
}

std::vector<std::int32_t> row_lengths(const Params& params) {
  const Shape shape = shape_of(params);
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(shape.rows), static_cast<std::int32_t>(params.per_row));
  if (is_file(params)) {
    const auto matrix = matrix_in(params.matrix);
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = matrix->offset[i + 1] - matrix->offset[i];
  } else if (const auto dimension = dimensions(params)) {
    const Index side = side_of(params, *dimension);
    for (Index i = 0; i < shape.rows; ++i) {
      std::int32_t& length = lengths[static_cast<std::size_t>(i)] = 0;
      for_each_neighbour(i, side, *dimension, [&](Index) { ++length; });
    }
  }
  return lengths;
}

std::shared_ptr<const Matrix> matrix_of(const Params& params) {
  const Shape shape = shape_of(params);
  if (is_file(params)) return matrix_in(params.matrix);
  Rows rows(shape);
  if (const auto dimension = dimensions(params)) {
    add_stencil(params, *dimension, rows);
  } else if (params.matrix == "banded") {
    add_banded(params, rows);
  } else {
    add_random(params, rows);
  }
  return rows.done();
}

}  // namespace gable::operators::sparse
