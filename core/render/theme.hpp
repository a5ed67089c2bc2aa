#pragma once
#include <optional>
#include <string_view>

namespace gable::render {

/// What a static picture is for: bright ground, dark ground, or grey print in one column of a text.
enum class Theme { light, dark, print };
std::string_view to_string(Theme theme);
std::optional<Theme> parse_theme(std::string_view name);

/// A colour of the light theme as another theme has it. Dark: colours nearer to white, greys upside down. Print:
/// greys by their brightness, dark enough to be read (at least 5:1 on white) but light grounds.
unsigned themed(Theme theme, unsigned rgb);

}  // namespace gable::render
