#include "core/render/gnuplot.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/result/store.hpp"
#include "core/text/lower.hpp"
#include "core/text/posix_file.hpp"
#include "core/worker/process.hpp"

namespace gable::render {

void run_gnuplot(const std::filesystem::path& script, std::chrono::seconds limit) {
  using clock = std::chrono::steady_clock;
  const char* named = std::getenv("GABLE_GNUPLOT");
  const bool chosen = named && *named;
  const std::string name = chosen ? named : "gnuplot";
  const auto program = worker::find_program(name);
  if (program.empty() && !chosen)
    throw Error("gnuplot is not installed (Debian package gnuplot-nox); csv, json and txt need no gnuplot");
  if (program.empty()) throw Error(fmt::format("GABLE_GNUPLOT: '{}' is no program that can be started", name));
  worker::Process process(program, {"--default-settings", script.string()}, worker::Process::Ends::descendants);
  const auto end = clock::now() + limit;
  for (worker::ReadResult read; !std::holds_alternative<worker::Closed>(read);) {
    read = process.read(std::chrono::duration<double>(end - clock::now()).count());
    if (std::holds_alternative<worker::Interrupted>(read)) throw Error(fmt::format("{} was interrupted", name));
    if (std::holds_alternative<worker::TimedOut>(read) || clock::now() > end)
      throw Error(fmt::format("{} did not end within {} s", name, limit.count()));
  }
  if (process.exit_code() == 0) return;
  const std::string said = process.last_error_line();
  throw Error(fmt::format("{} failed: {}", name, said.empty() ? process.ending() : said));
}

Format format_of(const std::filesystem::path& output) {
  static constexpr std::array<std::pair<std::string_view, Format>, 7> known{{{".svg", Format::svg},
                                                                             {".png", Format::png},
                                                                             {".pdf", Format::pdf},
                                                                             {".csv", Format::csv},
                                                                             {".json", Format::json},
                                                                             {".txt", Format::txt},
                                                                             {".html", Format::html}}};
  const std::string ending = lower(output.extension().string());
  for (const auto& [text, format] : known) {
    if (ending != text) continue;
    const bool plot_data = format == Format::json && output.stem().string().ends_with("plot-data");
    return plot_data ? Format::plot_data : format;
  }
  throw Error(
      fmt::format("{}: the ending says the format, one of .svg .png .pdf .html .csv .json .txt", output.string()));
}

bool is_picture(Format format) { return format == Format::svg || format == Format::png || format == Format::pdf; }

namespace {

std::string drawn(Format format, const ScriptOf& script_of) {
  const TemporaryFolder folder("gable-plot");
  const auto picture = folder / "picture", script = folder / "plot.gp";
  result::write_file_atomically(script, script_of(format, picture));
  run_gnuplot(script);
  std::string bytes = read_text(picture);
  if (bytes.empty()) throw Error("gnuplot drew nothing");
  return bytes;
}

}  // namespace

void draw_picture(const std::filesystem::path& output, const ScriptOf& script_of) {
  const Format format = format_of(output);
  if (!is_picture(format)) throw Error(fmt::format("{}: a picture ends in .svg, .png or .pdf", output.string()));
  result::check_writable(output);
  result::write_file_atomically(output, drawn(format, script_of));
}

std::string drawn_svg(const ScriptOf& script_of) {
  const std::string svg = drawn(Format::svg, script_of);
  const auto element = svg.find("<svg");
  if (element == std::string::npos) throw Error("gnuplot drew no SVG");
  return svg.substr(element);
}

}  // namespace gable::render
