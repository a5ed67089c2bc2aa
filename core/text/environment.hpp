#pragma once
#include <string>
#include <vector>

namespace gable {

/// "NAME=value and NAME=value" of these environment variables, as far as they are set; empty if none is.
std::string set_variables(const std::vector<std::string>& names);
/// What a probe says of variables that are set and change times; empty if none is.
std::string remark_on_timing(const std::vector<std::string>& names);

/// Columns for what is printed: COLUMNS, or those of the terminal that standard output is, or 160.
int output_width();
/// Whether standard error is a terminal that understands escape codes (TERM is neither empty nor "dumb").
bool can_redraw();

}  // namespace gable
