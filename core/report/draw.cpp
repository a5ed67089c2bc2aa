#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/report/gnuplot.hpp"
#include "core/report/message_plot.hpp"
#include "core/report/plot_data.hpp"
#include "core/report/report.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"

namespace gable::report {

Format format_of(const std::filesystem::path& output) {
  static constexpr std::array<std::pair<std::string_view, Format>, 7> known{{{".svg", Format::svg},
                                                                             {".png", Format::png},
                                                                             {".pdf", Format::pdf},
                                                                             {".csv", Format::csv},
                                                                             {".json", Format::json},
                                                                             {".txt", Format::txt},
                                                                             {".html", Format::html}}};
  std::string ending = output.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [text, format] : known) {
    if (ending != text) continue;
    const bool plot_data = format == Format::json && output.stem().string().ends_with("plot-data");
    return plot_data ? Format::plot_data : format;
  }
  throw Error(
      fmt::format("{}: the ending says the format, one of .svg .png .pdf .html .csv .json .txt", output.string()));
}

bool is_picture(Format format) { return format == Format::svg || format == Format::png || format == Format::pdf; }

std::optional<CsvTable> parse_csv_table(std::string_view text) {
  if (text == "ceilings") return CsvTable::ceilings;
  if (text == "points") return CsvTable::points;
  return {};
}

namespace {

/// A fresh folder for the script and the picture, gone with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code none;
    std::filesystem::path base = std::filesystem::temp_directory_path(none);
    if (none) base = "/tmp";
    std::string pattern = (base / "gable-plot-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw_errno("create a folder in", base);
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace

std::string drawn_by_gnuplot(const std::function<std::string(const std::filesystem::path& output)>& script_of) {
  const ScratchFolder folder;
  const auto picture = folder / "picture", script = folder / "plot.gp";
  result::write_file_atomically(script, script_of(picture));
  run_gnuplot(script, folder / "errors");
  std::string drawn = read_text(picture);
  if (drawn.empty()) throw Error("gnuplot drew nothing");
  return drawn;
}

void draw(const Result& result, const std::filesystem::path& output, const PlotOptions& options) {
  const Format format = format_of(output);
  if (!is_picture(format)) throw Error(fmt::format("{}: a picture ends in .svg, .png or .pdf", output.string()));
  result::check_writable(output);
  if (options.datasheets.empty() && is_of_networks(result)) {
    result::write_file_atomically(output, drawn_by_gnuplot([&](const std::filesystem::path& picture) {
                                    return message_script(result, options, format, picture);
                                  }));
    return;
  }
  const PlotData data = plot_data(result, options);
  result::write_file_atomically(output, drawn_by_gnuplot([&](const std::filesystem::path& picture) {
                                  return gnuplot_script(data, format, picture);
                                }));
}

}  // namespace gable::report
