#include "core/render/palette.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gable::render {

namespace {

/// How points of a type look.
struct Look {
  unsigned colour;
  int shape;
};

Look look_of(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return {0x0072B2, 1};
    case DType::fp32:
      return {0xD55E00, 0};
    case DType::tf32:
      return {0x8C6D00, 0};
    case DType::fp16:
      return {0x009E73, 2};
    case DType::bf16:
      return {0xCC79A7, 3};
    default:
      return is_integer(dtype) ? Look{0x6A3D9A, 5} : Look{0x3F9FD0, 4};
  }
}

}  // namespace

unsigned dtype_colour(DType dtype) { return look_of(dtype).colour; }
int dtype_shape(DType dtype) { return look_of(dtype).shape; }

unsigned device_colour(std::size_t index) {
  constexpr std::array<unsigned, 10> colours{0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0x662200,
                                             0x5577FF, 0x771155, 0x1111FF, 0xDD2244, 0x2222AA};
  return colours[index % colours.size()];
}

namespace {

constexpr unsigned night = 0x16181b;  ///< ground of the dark theme

using Channels = std::array<double, 3>;

Channels channels_of(unsigned rgb) {
  return {static_cast<double>(rgb >> 16U & 0xFFU), static_cast<double>(rgb >> 8U & 0xFFU),
          static_cast<double>(rgb & 0xFFU)};
}

unsigned rgb_of(const Channels& channels) {
  unsigned rgb = 0;
  for (const double one : channels) rgb = rgb << 8U | static_cast<unsigned>(std::lround(std::clamp(one, 0.0, 255.0)));
  return rgb;
}

/// Rec. 709
double brightness(const Channels& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }

/// Nearly white: grounds and grids.
bool is_ground(const Channels& c) { return *std::ranges::min_element(c) >= 0xD0; }

unsigned on_dark(const Channels& c) {
  const double span = *std::ranges::max_element(c) - *std::ranges::min_element(c);
  Channels out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double base = channels_of(night)[i];
    if (is_ground(c))
      out[i] = base + (255 - brightness(c)) + 2 * (c[i] - brightness(c));
    else if (span < 8)
      out[i] = base + (255 - base) * (1 - 0.5 * c[i] / 255);
    else
      out[i] = 0.6 * c[i] + 0.4 * 255;
  }
  return rgb_of(out);
}

unsigned on_print(const Channels& c) {
  const double grey = is_ground(c) ? brightness(c) : 0.6 * brightness(c);
  return rgb_of({grey, grey, grey});
}

}  // namespace

unsigned themed(Theme theme, unsigned rgb) {
  switch (theme) {
    case Theme::dark:
      return on_dark(channels_of(rgb));
    case Theme::print:
      return on_print(channels_of(rgb));
    case Theme::light:
      break;
  }
  return rgb;
}

}  // namespace gable::render
