#pragma once
#include <optional>
#include <string_view>

#include "core/enum_names.hpp"

namespace gable {

/// quick: a figure with an interval in the least time; full: everything, tighter.
enum class Mode { quick, full };
inline constexpr auto mode_names = enum_names<Mode>({{Mode::quick, "quick"}, {Mode::full, "full"}});
inline std::string_view to_string(Mode mode) { return mode_names.name(mode); }
inline std::optional<Mode> parse_mode(std::string_view text) { return mode_names.parse(text); }

}  // namespace gable
