#include "operators/sparse/matrix.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "operators/common.hpp"

namespace gable::operators::sparse {
namespace {

/// Rows in the order in which they are stored.
std::vector<std::int32_t> order_of(const std::vector<std::int32_t>& lengths) {
  const auto rows = static_cast<Index>(lengths.size());
  std::vector<std::int32_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](std::int32_t row) { return lengths[static_cast<std::size_t>(row)]; };
  for (Index begin = 0; begin < rows; begin += sorted_rows) {
    std::stable_sort(order.begin() + begin, order.begin() + std::min(rows, begin + sorted_rows),
                     [&](std::int32_t x, std::int32_t y) { return length(x) > length(y); });
  }
  order.resize(static_cast<std::size_t>((rows + slice_rows - 1) / slice_rows * slice_rows), -1);
  return order;
}

/// Stores one row from `target` on.
void store_row(const Matrix& matrix, std::int32_t row, std::size_t target, Sell& sell) {
  const auto begin = static_cast<std::size_t>(matrix.offset[static_cast<std::size_t>(row)]);
  const auto end = static_cast<std::size_t>(matrix.offset[static_cast<std::size_t>(row) + 1]);
  for (std::size_t k = begin; k < end; ++k, target += slice_rows) {
    sell.column[target] = matrix.column[k];
    sell.value[target] = matrix.value.empty() ? 2 * random_unit(static_cast<Index>(k), 0) - 1 : matrix.value[k];
  }
}

}  // namespace

Slices slices_of(const std::vector<std::int32_t>& lengths) {
  Slices slices{{0}, order_of(lengths)};
  Index total = 0;
  for (std::size_t first = 0; first < slices.row.size(); first += slice_rows) {
    std::int32_t longest = 0;
    for (std::size_t r = first; r < first + slice_rows; ++r) {
      if (slices.row[r] >= 0) longest = std::max(longest, lengths[static_cast<std::size_t>(slices.row[r])]);
    }
    total += slice_rows * longest;
    if (total > 0x7fffffff) throw Error("spmv_sell: with its padding the matrix has more than 2^31 - 1 entries");
    slices.offset.push_back(static_cast<std::int32_t>(total));
  }
  return slices;
}

std::shared_ptr<const Sell> sell_of(const Matrix& matrix) {
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(matrix.rows));
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = matrix.offset[i + 1] - matrix.offset[i];
  Sell sell{slices_of(lengths), {}, {}};
  const Slices& slices = sell.slices;
  sell.column.assign(static_cast<std::size_t>(slices.entries()), -1);
  sell.value.assign(static_cast<std::size_t>(slices.entries()), 0.0);
  for (std::size_t r = 0; r < slices.row.size(); ++r) {
    if (slices.row[r] < 0) continue;
    const auto slice = static_cast<std::size_t>(slices.offset[r / slice_rows]);
    store_row(matrix, slices.row[r], slice + r % slice_rows, sell);
  }
  return std::make_shared<const Sell>(std::move(sell));
}

}  // namespace gable::operators::sparse
