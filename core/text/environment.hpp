#pragma once
#include <string>
#include <vector>

namespace gable {

/// "NAME=value and NAME=value" of these environment variables, as far as they are set; empty if none is.
std::string set_variables(const std::vector<std::string>& names);
/// What a probe says of variables that are set and change times; empty if none is.
std::string remark_on_timing(const std::vector<std::string>& names);

}  // namespace gable
