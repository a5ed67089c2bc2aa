#include "core/render/page.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"

namespace gable::embedded {
extern const std::string_view page_bundle;  // empty where the build had none
}

namespace gable::render {
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

/// Rows as one list a key, null where a row has none, and texts by their place among those that differ: ten thousand
/// points are read in a tenth of the time.
nlohmann::json columns_of(const nlohmann::json& rows) {
  std::map<std::string, nlohmann::json> columns;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [key, value] : rows[i].items()) {
      nlohmann::json& column = columns[key];
      if (column.is_null()) column = nlohmann::json::array();
      while (column.size() < i) column.push_back(nullptr);
      column.push_back(value);
    }
  }
  nlohmann::json list = nlohmann::json::array();
  for (auto& [key, column] : columns) {
    while (column.size() < rows.size()) column.push_back(nullptr);
    nlohmann::json texts = nlohmann::json::array();
    std::unordered_map<std::string, std::size_t> places;
    for (auto& value : column) {
      if (!value.is_string()) continue;
      const auto [known, is_new] = places.try_emplace(value.get<std::string>(), texts.size());
      if (is_new) texts.push_back(value);
      value = known->second;
    }
    list.push_back({{"key", key}, {"values", std::move(column)}});
    if (!texts.empty()) list.back()["texts"] = std::move(texts);
  }
  return {{"rows", rows.size()}, {"columns", std::move(list)}};
}

/// What the page reads of the plot data, in short form.
nlohmann::json for_page(nlohmann::json plot_data) {
  for (auto& point : plot_data["points"]) point.erase("distance");
  for (const char* list : {"points", "ceilings"}) plot_data[list] = columns_of(plot_data[list]);
  return plot_data;
}

std::string title_of(const nlohmann::json& plot_data) {
  if (plot_data.contains("title")) return plot_data["title"].get<std::string>();
  std::string names;
  for (const auto& device : plot_data["devices"])
    names += (names.empty() ? "" : ", ") + device["name"].get<std::string>();
  if (!names.empty()) return "Roofline: " + names;
  if (plot_data.contains("messages")) return "Messages: " + plot_data["messages"].front()["name"].get<std::string>();
  return "Roofline";
}

/// That of this build, or the file that the environment names. `text` is empty where there is neither.
struct Bundle {
  std::string source = "the bundle of this build", own;
  std::string_view text = embedded::page_bundle;

  Bundle() {
    const char* file = std::getenv("GABLE_PAGE_BUNDLE");
    if (!file || !*file) return;
    own = read_text(file);
    text = own;
    source = fmt::format("GABLE_PAGE_BUNDLE: '{}'", file);
  }
  Bundle(const Bundle&) = delete;
  Bundle& operator=(const Bundle&) = delete;
};

}  // namespace

bool has_page() { return !Bundle().text.empty(); }

std::string page(const nlohmann::json& plot_data) {
  const Bundle bundle;
  if (bundle.text.empty())
    throw Error(
        "this gable was built without the page (npm makes it): set GABLE_PAGE_BUNDLE to a bundle that "
        "scripts/page_bundle made elsewhere, or take --output plot-data.json");
  const auto [head, rest] = cut(bundle.text, title_place, bundle.source);
  const auto [body, tail] = cut(rest, data_place, bundle.source);
  std::string text(head);
  text += for_markup(title_of(plot_data));
  text += body;
  text += for_script(for_page(plot_data));
  text += tail;
  return text;
}

}  // namespace gable::render
