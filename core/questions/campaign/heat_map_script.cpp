#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/questions/campaign/heat_map.hpp"
#include "core/render/gnuplot.hpp"
#include "core/render/palette.hpp"
#include "core/text/safe_text.hpp"
#include "core/text/text_table.hpp"

namespace gable::campaign {
namespace {

// Points of 1/72 inch.
constexpr double cell_size = 11, font = 7.5, letter = 4.4, margin = 8, line = 11, least_width = 430;
constexpr int longest_node = 40, longest_row = 90;
/// The loss at which the colour is full.
constexpr double full_loss = 0.15;
constexpr unsigned faster = 0x0072b2, slower = 0xd55e00, no_figure = 0xd0d0d0;  // Okabe and Ito's blue and vermillion

/// Between white and a colour.
unsigned mixed(unsigned colour, double part) {
  unsigned mix = 0;
  for (const int shift : {16, 8, 0}) {
    const double channel = static_cast<double>((colour >> shift) & 0xff);
    mix |= static_cast<unsigned>(std::lround(255 + (channel - 255) * part)) << shift;
  }
  return mix;
}

unsigned colour_of(const HeatCell& one) {
  if (!one.loss) return no_figure;
  return mixed(*one.loss > 0 ? slower : faster, std::min(1.0, std::abs(*one.loss) / full_loss));
}

int longest(const std::vector<std::string>& texts) {
  std::size_t most = 0;
  for (const std::string& text : texts) most = std::max(most, text.size());
  return static_cast<int>(most);
}

/// Writes in points from the upper left corner.
class HeatMapScript {
 public:
  HeatMapScript(double width, double height) : width_(width), height_(height) {}

  void rectangle(double x, double y, double width, double height, unsigned rgb, bool framed) {
    text_ += fmt::format(
        "set object rectangle from screen {} to screen {} fillcolor rgb '#{:06x}' fillstyle solid 1.0 {}\n", at(x, y),
        at(x + width, y + height), rgb, framed ? fmt::format("border rgb '#{:06x}'", render::ink) : "noborder");
  }
  void label(double x, double y, const std::string& text, const char* where, int turned = 0) {
    text_ +=
        fmt::format("set label {} at screen {} {} {} noenhanced front textcolor rgb '#{:06x}'\n", for_gnuplot(text),
                    at(x, y), where, turned == 0 ? "" : fmt::format("rotate by {}", turned), render::ink);
  }
  const std::string& text() const { return text_; }

 private:
  std::string at(double x, double y) const { return fmt::format("{:.5f},{:.5f}", x / width_, 1 - y / height_); }

  double width_, height_;
  std::string text_;
};

void add_legend(HeatMapScript& script, double x, double y) {
  constexpr double steps[] = {-full_loss, -full_loss / 2, 0, full_loss / 2, full_loss};
  for (const double loss : steps) {
    script.rectangle(x, y, cell_size, cell_size, colour_of({.loss = loss}), false);
    script.label(
        x + cell_size + 3, y + cell_size / 2,
        loss == 0 ? "median" : fmt::format("{:.3g} % {}", 100 * std::abs(loss), loss > 0 ? "slower" : "faster"),
        "left");
    x += cell_size + 3 + 13 * letter;
  }
  script.rectangle(x, y, cell_size, cell_size, no_figure, false);
  script.label(x + cell_size + 3, y + cell_size / 2, "no figure", "left");
}

}  // namespace

std::string heat_map_script(const HeatMap& map, render::Format format, const std::filesystem::path& output) {
  std::vector<std::string> nodes = map.nodes, rows = map.rows;
  for (std::string& node : nodes) node = shorten(node, longest_node);
  for (std::string& row : rows) row = shorten(row, longest_row);
  const auto notes = heat_map_notes(map);
  const double left = margin + letter * longest(nodes) + 4;
  const double top = margin + line * static_cast<double>(notes.size()) + 2 * cell_size;
  const double columns = cell_size * static_cast<double>(rows.size()),
               lines = cell_size * static_cast<double>(nodes.size());
  const double width = std::max({left + columns + margin, 2 * margin + letter * longest(notes), least_width});
  const double height = top + lines + 4 + letter * longest(rows) + margin;
  HeatMapScript script(width, height);
  for (std::size_t i = 0; i < notes.size(); ++i)
    script.label(margin, margin + line * (static_cast<double>(i) + 0.5), notes[i], "left");
  add_legend(script, margin, top - 1.6 * cell_size);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const double y = top + cell_size * static_cast<double>(n);
    script.label(left - 4, y + cell_size / 2, nodes[n], "right");
    for (const bool framed : {false, true}) {  // frames over their neighbours
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const HeatCell& one = map.cells[n][r];
        if (one.found == framed)
          script.rectangle(left + cell_size * static_cast<double>(r), y, cell_size, cell_size, colour_of(one), framed);
      }
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r)
    script.label(left + cell_size * (static_cast<double>(r) + 0.5), top + lines + 4, rows[r], "right", 90);
  return gnuplot_head(format, width / 72, height / 72, font, render::Theme::light, output) +
         "unset border\nunset tics\nunset key\nset margins 0,0,0,0\nset xrange [0:1]\nset yrange [0:1]\n" +
         script.text() + "plot NaN\nunset output\n";
}

}  // namespace gable::campaign
