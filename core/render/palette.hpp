#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/enum_names.hpp"
#include "core/model/dtype.hpp"

namespace gable::render {

inline constexpr unsigned paper = 0xffffff;
inline constexpr unsigned ink = 0x333333;
inline constexpr unsigned pale_ink = 0x777777;

/// Okabe and Ito's palette, distinguishable with any common colour vision; yellow is left out on white paper.
unsigned dtype_colour(DType dtype);
/// Ten, the first four of that palette, the others as far from all before them as red-blind and green-blind eyes allow;
/// then they begin again.
unsigned device_colour(std::size_t index);
/// A marker shape of its own for each family of types, so that colour is never the only difference. 0 to 5: circle,
/// square, triangle, inverted triangle, diamond, pentagon.
int dtype_shape(DType dtype);
inline constexpr std::size_t marker_shapes = 6;

/// What a static picture is for: bright ground, dark ground, or grey print in one column of a text.
enum class Theme { light, dark, print };
constexpr auto names_of(Theme) { return names_up_to<Theme::print>("light", "dark", "print"); }
inline std::optional<Theme> parse_theme(std::string_view name) { return parse_name<Theme>(name); }

/// A colour of the light theme as another theme has it. Dark: colours nearer to white, greys upside down. Print:
/// greys by their brightness, dark enough to be read (at least 5:1 on white) but light grounds.
unsigned themed(Theme theme, unsigned rgb);

}  // namespace gable::render
