#pragma once
#include <string>
#include <vector>

namespace gable::attack {

/// What the program says to these words in a folder. Whatever they are: an exit code that is documented, and for bad
/// input one line, which is thrown.
std::string run_program(const std::string& folder, std::vector<std::string> arguments);

}  // namespace gable::attack
