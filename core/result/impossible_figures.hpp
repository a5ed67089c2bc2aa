#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/figure_limits.hpp"
#include "core/result/result.hpp"
#include "core/result/row.hpp"

/// Search of results for figures that no real machine has: the limits that fields() gives each of them
/// (figure_limits.hpp), and what only several of a row show together.
namespace gable::result {

/// A figure that cannot be.
struct Impossible {
  std::string where;  ///< JSON pointer
  std::string what;   ///< "-1: a time is positive, …"
  bool beside{};      ///< optional side figure (of a sensor, of theory); dropping it keeps the row
};

/// The figures of a result that cannot be, at most `most` of them. Rows that were not measured are passed over.
std::vector<Impossible> impossible_figures(const Result& result, std::size_t most = 100);

/// The same of measured points that are more than ten thousand times as fast as the roofs of their own result allow,
/// whatever bound is stored with them.
std::vector<Impossible> impossible_points(const Result& result);

/// The first figure of a row (Ceiling, Curve, Point) that cannot be and does not stand beside a measurement; its place
/// is that in the row. 10^5 points are judged in a fraction of a second.
template <class OneRow>
std::optional<Impossible> impossible_figure(const OneRow& row);

/// Whether a row with this status has a figure.
bool is_measured(Status status);

/// Throws Error "<pointer>: <figure>: <what is possible>" for the first figure of those that does not stand beside a
/// measurement. `pointer`: the place of the result or row in its document.
void refuse_impossible(const Result& result, std::string_view pointer = {});
void refuse_impossible(const Row& row, std::string_view pointer);

/// Removes impossible side figures (sensor, datasheet) from rows and notes how many.
void drop_impossible(Result& result);

/// Turns a measured row with an impossible figure into an error row; of side figures only these are removed.
void fail_impossible(Row& row);
void fail_impossible(Result& result);

}  // namespace gable::result
