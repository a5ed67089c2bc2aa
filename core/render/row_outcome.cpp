#include "core/render/row_outcome.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>
#include <variant>

#include "core/measure/rounds.hpp"
#include "core/model/units.hpp"
#include "core/result/for_each_row.hpp"
#include "core/sequence.hpp"

namespace gable::render {
namespace {

/// A row in few words: its figure, or what became of it.
std::string outcome_text(const Row& row) {
  return std::visit(
      [&]<class T>(const T& one) -> std::string {
        if (one.status != Status::ok)
          return fmt::format("{}{}{}", to_string(one.status), one.reason.empty() ? "" : ": ", one.reason);
        if constexpr (std::is_same_v<T, Curve>) return fmt::format("{} points", one.x.size());
        const Estimate* estimate = estimate_of(one);
        return estimate ? format_quantity(estimate->value, unit_of(one)) : "measured";
      },
      row);
}

}  // namespace

std::string outcome_text(const std::vector<Row>& rows) {
  if (rows.empty()) return "nothing";
  if (rows.size() == 1) return outcome_text(rows.front());
  return fmt::format("{} rows, first {}", rows.size(), outcome_text(rows.front()));
}

std::map<Status, std::size_t> count_rows(const Result& result) {
  std::map<Status, std::size_t> counts;
  for_each_row(result, [&](const auto& row) { ++counts[row.status]; });
  return counts;
}

std::string counts_text(const std::map<Status, std::size_t>& counts) {
  const auto parts =
      mapped(counts, [](const auto& one) { return fmt::format("{} {}", one.second, to_string(one.first)); });
  return fmt::format("rows: {}", parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", ")));
}

std::string held_back_text(const Result& result) {
  int rows = 0;
  double longest = 0;
  std::string words;
  for_each_row(result, [&](const auto& row) {
    const Estimate* estimate = estimate_of(row);
    const bool held = estimate ? measure::was_held_back(*estimate) : row.reason.starts_with(measure::held_back_prefix);
    if (row.status != Status::suspect || !held) return;
    ++rows;
    const double share = estimate ? measure::share_held_back(estimate->seen) : 0;  // curves keep words only
    if (!words.empty() && share <= longest) return;
    longest = share;
    words = estimate ? measure::held_back_words(*estimate) : row.reason;
  });
  if (rows == 0) return {};
  if (rows == 1)
    return fmt::format("1 row has no good figure, because its threads did not run all the time: {}", words);
  return fmt::format("{} rows have no good figure, because their threads did not run all the time; one was {}", rows,
                     words);
}

}  // namespace gable::render
