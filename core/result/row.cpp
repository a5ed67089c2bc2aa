#include "core/result/row.hpp"

namespace gable {
Row blank_row(RowKind kind) {
  Row blank;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    static_cast<void>(((static_cast<RowKind>(I) == kind && (blank.emplace<I>(), true)) || ...));
  }
  (std::make_index_sequence<std::variant_size_v<Row>>{});
  return blank;
}

Row without_figure(Row planned, Status status, std::string reason) {
  std::visit([&](auto& one) { mark(one, status, std::move(reason)); }, planned);
  return planned;
}

}  // namespace gable
