#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/result/result.hpp"
#include "core/result/row.hpp"

/// Limits that no figure of a real machine passes. They are far from anything that is only odd: that is for
/// plausibility() to say.
namespace gable::result {

/// How often a workload does one piece of work, at most.
inline constexpr double most_count = 1e15;

/// A figure that cannot be.
struct Impossible {
  std::string where;  ///< JSON pointer
  std::string what;   ///< "-1: a time is positive, …"
};

/// The figures of a document that cannot be, at most `most` of them: a result, a row, a line of a journal. Keys that
/// have no limit and rows that were not measured are passed over, and so is null: it stands for no number.
std::vector<Impossible> impossible_figures(const nlohmann::json& document, std::size_t most = 100);

/// Throws Error "<pointer>: <figure>: <what is possible>" for the first of them.
void refuse_impossible(const nlohmann::json& document);

/// Makes a measured row with such a figure an error row, with the reason: what is written can be read again. Of the
/// conditions that it was measured under only the figure goes.
void fail_impossible(Row& row);
void fail_impossible(Result& result);

}  // namespace gable::result
