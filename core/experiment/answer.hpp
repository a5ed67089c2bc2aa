#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace gable::experiment {

/// A cell of a table: nothing, a figure in its column's unit, or a text.
using Cell = std::variant<std::monostate, double, std::string>;
Cell cell(std::optional<double> figure);

struct Column {
  std::string key;    ///< in JSON, with the unit at its end
  std::string title;  ///< for people
  std::string unit;   ///< as in files: s, byte, flop/s …; empty for ratios and counts
};

/// What an experiment shows of one device, operator, implementation and type.
struct Answer {
  std::string subject;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< as many cells as columns
  std::string conclusion;               ///< in plain words
};

/// Each answer as a heading, a table and its conclusion, at most `width` columns wide.
std::string text(std::span<const Answer> answers, int width = 120);
/// [{"subject", "rows": [{key: figure or text, …}], "conclusion"}]; an empty cell has no key.
nlohmann::json to_json(std::span<const Answer> answers);

}  // namespace gable::experiment
