#include "core/report/plot_text.hpp"

#include "core/text/text_table.hpp"

namespace gable::report {

std::string fitted(const std::string& text, double font_pt, double width) {
  std::string cut = text;
  for (int columns = text_width(text); columns > 1 && text_extent(cut, font_pt) > width;)
    cut = shorten(text, --columns);
  return cut;
}

PlotText level_text(const std::string& text, Position at, double font_pt, unsigned colour) {
  const Box box{at.x, at.y, at.x + text_extent(text, font_pt), at.y + line_height(font_pt)};
  return {text, at, font_pt, 0, colour, false, {box}, false};
}

}  // namespace gable::report
