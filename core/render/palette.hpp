#pragma once
#include <cstddef>

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

}  // namespace gable::render
