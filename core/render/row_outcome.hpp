#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/result/result.hpp"
#include "core/result/row.hpp"

namespace gable::render {

/// Rows in few words: the figure of one, or what became of it; "3 rows, first 12 GB/s".
std::string outcome_text(const std::vector<Row>& rows);

/// Rows of a result by what became of them.
std::map<Status, std::size_t> count_rows(const Result& result);
/// "rows: 41 ok, 12 unsupported, 1 skipped"
std::string counts_text(const std::map<Status, std::size_t>& counts);

/// How many rows have no good figure because the machine did not let them run, and what held the one that it held
/// longest; empty where there are none.
std::string held_back_text(const Result& result);

}  // namespace gable::render
