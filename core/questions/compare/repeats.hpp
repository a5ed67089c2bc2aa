#pragma once
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/questions/compare/subject.hpp"
#include "core/result/result.hpp"

namespace gable::questions {

/// The devices of some results, in order. Files of one device are runs of one subject: same host, same hardware
/// (result::same_device) and, at every scope that both have, the same number of threads; so a calibration and a run
/// belong together as well as two repeats. `apart`: every file is a subject of its own. Of several
/// implementations of a quantity the best median stands among those that most runs have; what one run measured more
/// than once is its median. Throws Error for a device that is not in its result, and for a
/// run that is given twice: it is no repeat of itself.
std::vector<Subject> subjects_of(std::span<const NamedResult> sources, bool apart = false);

/// subjects_of() for a mix of results and datasheets; keeps the order in which they were first named.
std::vector<Subject> subjects_in_order(std::vector<std::variant<NamedResult, Subject>> named, bool apart);

}  // namespace gable::questions
