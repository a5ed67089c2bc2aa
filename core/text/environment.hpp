#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace gable {

/// What an environment variable is set to; empty where it is not.
std::string variable(const char* name);
/// "NAME=value and NAME=value" of these environment variables, as far as they are set; empty if none is.
std::string set_variables(const std::vector<std::string>& names);
/// What a probe says of variables that are set and change times; empty if none is.
std::string remark_on_timing(const std::vector<std::string>& names);

/// What starts this program again, on another node too: how it was called where that is a path, as scripts that know
/// its libraries stand before some; else its file. Without /proc the name it was called by.
std::filesystem::path this_program();

/// Columns for what is printed: COLUMNS, or those of the terminal that standard output is, or 160.
int output_width();
/// Whether standard error is a terminal that understands escape codes (TERM is neither empty nor "dumb").
bool can_redraw();

}  // namespace gable
