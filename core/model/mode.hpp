#pragma once
#include "core/enum_names.hpp"

namespace gable {

/// quick: a figure with an interval in the least time; full: everything, tighter.
enum class Mode { quick, full };
constexpr auto names_of(Mode) { return names_up_to<Mode::full>("quick", "full"); }

}  // namespace gable
