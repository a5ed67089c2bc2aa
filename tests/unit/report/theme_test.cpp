#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/model/dtype.hpp"
#include "core/report/palette.hpp"
#include "core/report/theme.hpp"

namespace gable::report {
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
  for (std::size_t i = 0; i < 6; ++i) list.push_back(device_colour(i));
  for (const DType dtype : all_dtypes) list.push_back(dtype_colour(dtype));
  return list;
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
}  // namespace gable::report
