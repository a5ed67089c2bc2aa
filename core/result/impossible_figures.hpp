#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/figure_limits.hpp"
#include "core/result/result.hpp"
#include "core/result/row.hpp"

/// Search of results for figures that no real machine has.
namespace gable::result {

/// A figure that cannot be.
struct Impossible {
  std::string where;  ///< JSON pointer
  std::string what;   ///< "-1: a time is positive, …"
  bool beside{};      ///< optional side figure (of a sensor, of theory); dropping it keeps the row
};

/// The figures of a document that cannot be, at most `most` of them: a result, a row, a line of a journal. Keys that
/// have no limit and rows that were not measured are passed over.
std::vector<Impossible> impossible_figures(const nlohmann::json& document, std::size_t most = 100);

/// The same of measured points that are more than ten thousand times as fast as the roofs of their own result allow,
/// whatever bound is stored with them.
std::vector<Impossible> impossible_points(const Result& result);

/// Throws Error "<pointer>: <figure>: <what is possible>" for the first of them that does not stand beside a
/// measurement. `pointer`: the place of a part of a document in the whole of it.
void refuse_impossible(const nlohmann::json& document, std::string_view pointer = {});
/// The same for the points.
void refuse_impossible(const Result& result);

/// The first figure of a row that cannot be and does not stand beside a measurement; its place is that in the row.
/// 10^5 points are judged in a fraction of a second: a document is made of those alone that may have such a figure.
std::optional<Impossible> impossible_figure(const Point& row);
std::optional<Impossible> impossible_figure(const Ceiling& row);
/// Whether a point's fields show without a document that it has none.
bool is_clearly_possible(const Point& row);

/// Removes impossible side figures (sensor, datasheet) from rows and notes how many.
void drop_impossible(Result& result);

/// Turns a measured row with an impossible figure into an error row; of side figures only these are removed.
void fail_impossible(Row& row);
void fail_impossible(Result& result);

}  // namespace gable::result
