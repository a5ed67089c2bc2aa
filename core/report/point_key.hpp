#pragma once
#include <string>

#include "core/report/plot_data.hpp"

/// Texts of a picture. Lengths are in pt.
namespace gable::report {

/// At most `width` wide; what is cut ends in "…".
std::string fitted(const std::string& text, double font_pt, double width);
/// A level line of text with its lower left corner at `at`.
PlotText level_text(const std::string& text, Position at, double font_pt, unsigned colour);

/// The table under a picture that says what each numbered point is: as many columns as the widest entry allows, cut
/// before it takes more than its share of the picture. Without numbered points it is empty. Lengths in pt.
class PointKey {
 public:
  PointKey() = default;
  PointKey(const PlotData& data, double font_pt);
  /// With the blank line that keeps it apart from the legend.
  double height() const { return rows_ > 0 ? (rows_ + 1) * line_height(font_pt_) : 0; }
  /// Adds its texts at the foot of the picture.
  void draw(PlotData& data) const;

 private:
  std::string fit_entry(const std::string& text, double width) const;

  double font_pt_{};
  int rows_{}, columns_{1};
};

}  // namespace gable::report
