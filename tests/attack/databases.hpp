#pragma once
#include <string>
#include <vector>

#include "mutation.hpp"

namespace gable::attack {

/// Small databases of profilers, as statements: one a line, so that a bad one does not keep the others out.
std::vector<std::string> databases();

/// The bytes of a database that the statements make, as far as they can; half of them are damaged.
std::string database_of(const std::string& folder, const std::string& statements, Random& random);

}  // namespace gable::attack
