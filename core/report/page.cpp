#include "core/report/page.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"

namespace gable::embedded {
extern const std::string_view page_bundle;  // empty where the build had none
}

namespace gable::report {
namespace {

constexpr std::string_view title_place = "gable-title-goes-here", data_place = "gable-data-goes-here";

/// Cuts a text at the only place of a mark.
std::pair<std::string_view, std::string_view> cut(std::string_view text, std::string_view mark,
                                                  const std::string& source) {
  const auto at = text.find(mark);
  if (at == std::string_view::npos || text.find(mark, at + 1) != std::string_view::npos)
    throw Error(fmt::format("{} is no bundle of the page: scripts/page_bundle makes one", source));
  return {text.substr(0, at), text.substr(at + mark.size())};
}

/// A script element ends at "</script", wherever that stands, and "<!--" changes what ends it: JSON can do without '<'.
std::string for_script(const nlohmann::json& json) {
  std::string text;
  for (const char c : dump_json(json, -1)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

std::string title_of(const nlohmann::json& plot_data) {
  if (plot_data.contains("title")) return plot_data["title"].get<std::string>();
  std::string names;
  for (const auto& device : plot_data["devices"])
    names += (names.empty() ? "" : ", ") + device["name"].get<std::string>();
  return names.empty() ? "Roofline" : "Roofline: " + names;
}

}  // namespace

std::string page(const nlohmann::json& plot_data) {
  std::string source = "the bundle of this build", own;
  std::string_view bundle = embedded::page_bundle;
  if (const char* file = std::getenv("GABLE_PAGE_BUNDLE"); file && *file) {
    own = read_text(file);
    bundle = own;
    source = fmt::format("GABLE_PAGE_BUNDLE: '{}'", file);
  }
  if (bundle.empty())
    throw Error(
        "this gable was built without the page, because there was no npm: set GABLE_PAGE_BUNDLE to a bundle that "
        "scripts/page_bundle made elsewhere, or take --output plot-data.json");
  const auto [head, rest] = cut(bundle, title_place, source);
  const auto [body, tail] = cut(rest, data_place, source);
  std::string text(head);
  text += for_markup(title_of(plot_data));
  text += body;
  text += for_script(plot_data);
  text += tail;
  return text;
}

}  // namespace gable::report
