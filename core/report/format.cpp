#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/error.hpp"
#include "core/report/report.hpp"

namespace gable::report {

Format format_of(const std::filesystem::path& output) {
  static constexpr std::array<std::pair<std::string_view, Format>, 6> known{{{".svg", Format::svg},
                                                                             {".png", Format::png},
                                                                             {".pdf", Format::pdf},
                                                                             {".csv", Format::csv},
                                                                             {".json", Format::json},
                                                                             {".txt", Format::txt}}};
  std::string ending = output.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [text, format] : known) {
    if (ending == text) return format;
  }
  throw Error(fmt::format("{}: the ending says the format, one of .svg .png .pdf .csv .json .txt", output.string()));
}

bool is_picture(Format format) { return format == Format::svg || format == Format::png || format == Format::pdf; }

std::optional<Table> parse_table(std::string_view text) {
  if (text == "ceilings") return Table::ceilings;
  if (text == "points") return Table::points;
  return {};
}

}  // namespace gable::report
