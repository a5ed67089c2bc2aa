#include "core/worker/rounds.hpp"

#include <algorithm>
#include <variant>

namespace gable::worker {

Rounds rounds_of(Mode mode) {
  return {.count = mode == Mode::quick ? 3 : 5,
          .of_a_curve = mode == Mode::quick ? 1 : 3,
          .of_another_size = mode == Mode::quick ? 3 : 2,
          .of_a_long_item = mode == Mode::quick ? 3 : 4,
          .further = mode == Mode::quick ? 1 : 0.2};
}

int Rounds::of(const ItemInfo& item) const {
  if (item.expected_s <= 0) return 1;
  if (const auto* curve = std::get_if<Curve>(&item.planned))
    return is_ladder(*curve) ? count : std::min(count, of_a_curve);
  const auto* row = std::get_if<Ceiling>(&item.planned);
  const bool another_size = row != nullptr && row->kind == CeilingKind::compute && row->at == OperatingPoint::library &&
                            !row->variant.empty();
  if (another_size) return std::min(count, of_another_size);
  constexpr double long_s = 0.5;
  return item.expected_s >= long_s ? std::min(count, of_a_long_item) : count;
}

}  // namespace gable::worker
