#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/render/plot_data.hpp"

/// Texts of a picture. Lengths are in pt.
namespace gable::render {

/// At most `width` wide; what is cut ends in "…".
std::string fitted(const std::string& text, double font_pt, double width);
/// The text in lines of at most that width, broken at blanks; what four of them do not hold is cut.
std::vector<std::string> lines_within(const std::string& text, double font_pt, double width);
/// A level line of text with its lower left corner at `at`.
PlotText level_text(const std::string& text, Position at, double font_pt, unsigned colour);

/// The table under a picture that says what each number is, within the height that it may take: as many columns as the
/// widest entry allows, or more, with shorter entries. Of several devices an entry has the share of each. Without
/// numbered points it is empty. Lengths in pt.
class PointKey {
 public:
  PointKey() = default;
  PointKey(const PlotData& data, double font_pt, double room_pt);
  /// How many entries there is room for.
  static std::size_t capacity(const PlotData& data, double font_pt, double room_pt);
  /// With the line above it that keeps it apart from the legend.
  double height() const { return rows_ > 0 ? (rows_ + 1) * line_height(font_pt_) : 0; }
  /// Adds its texts at the foot of the picture.
  void draw(PlotData& data) const;

 private:
  std::string fit_entry(const std::string& text, double width) const;

  double font_pt_{};
  std::vector<PlotPoint> points_;
  double widest_{};  ///< of the entries, without shares
  int rows_{}, columns_{1};
};

}  // namespace gable::render
