#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/model/dtype.hpp"
#include "core/render/palette.hpp"

namespace gable::render {
namespace {

/// Relative luminance and contrast, WCAG 2.1.
double luminance(unsigned rgb) {
  const auto part = [&](unsigned shift) {
    const double value = static_cast<double>(rgb >> shift & 0xFFU) / 255;
    return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0);
}
double contrast(unsigned a, unsigned b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

std::vector<unsigned> all_colours() {
  std::vector<unsigned> list{ink, pale_ink};
  for (std::size_t i = 0; i < 10; ++i) list.push_back(device_colour(i));
  for (const DType dtype : all_dtypes) list.push_back(dtype_colour(dtype));
  return list;
}

using Channels = std::array<double, 3>;

Channels linear(unsigned rgb) {
  Channels channels{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = static_cast<double>(rgb >> (16 - 8 * i) & 0xFFU) / 255;
    channels[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return channels;
}

Channels times(const std::array<Channels, 3>& matrix, const Channels& by) {
  Channels out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = std::clamp(matrix[i][0] * by[0] + matrix[i][1] * by[1] + matrix[i][2] * by[2], 0.0, 1.0);
  return out;
}

/// CIE 1976 L*a*b*, white D65.
Channels lab(const Channels& rgb) {
  const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = root((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505);
  const double y = root(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
  const double z = root((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// What is seen by normal, red-blind and green-blind eyes (Machado, Oliveira, Fernandes 2009, severity 1).
std::vector<Channels> seen(unsigned rgb) {
  const Channels c = linear(rgb);
  return {
      lab(c),
      lab(times({{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
                c)),
      lab(times({{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
                c))};
}

/// About 2.3 is the least difference that is seen; lines want several times of it.
TEST(Theme, ColourBlindEyesTellTenDevicesApart) {
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_GE(contrast(device_colour(i), paper), 3) << i;
    for (std::size_t k = 0; k < i; ++k) {
      const auto a = seen(device_colour(i)), b = seen(device_colour(k));
      for (std::size_t eye = 0; eye < a.size(); ++eye) {
        const double apart = std::hypot(a[eye][0] - b[eye][0], a[eye][1] - b[eye][1], a[eye][2] - b[eye][2]);
        EXPECT_GE(apart, 15) << "devices " << k << " and " << i << ", eye " << eye;
      }
    }
  }
}

TEST(Theme, EveryColourOfTheDarkOneCanBeReadOnItsGround) {
  const unsigned ground = themed(Theme::dark, paper);
  EXPECT_LT(luminance(ground), 0.02);
  for (const unsigned colour : all_colours()) EXPECT_GE(contrast(themed(Theme::dark, colour), ground), 4.5) << colour;
}

TEST(Theme, PrintIsGreyAndDarkEnough) {
  EXPECT_EQ(themed(Theme::print, paper), paper);
  for (const unsigned colour : all_colours()) {
    const unsigned grey = themed(Theme::print, colour);
    EXPECT_EQ(grey >> 16U, grey & 0xFFU) << colour;
    EXPECT_EQ(grey >> 8U & 0xFFU, grey & 0xFFU) << colour;
    EXPECT_GE(contrast(grey, paper), 5) << colour;
  }
}

TEST(Theme, LightIsThePaletteItself) {
  for (const unsigned colour : all_colours()) EXPECT_EQ(themed(Theme::light, colour), colour);
}

TEST(Theme, NamesAreThoseOfTheCommandLine) {
  for (const Theme theme : {Theme::light, Theme::dark, Theme::print}) EXPECT_EQ(parse_theme(to_string(theme)), theme);
  EXPECT_FALSE(parse_theme("sepia"));
}

}  // namespace
}  // namespace gable::render
