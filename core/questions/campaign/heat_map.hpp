#pragma once
#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/model/answer.hpp"
#include "core/questions/campaign/fleet.hpp"
#include "core/questions/report/report.hpp"
#include "core/render/document.hpp"

namespace gable::campaign {

/// Most nodes and rows that a heat map has: more could not be read.
inline constexpr std::size_t most_heat_nodes = 60, most_heat_rows = 60;

struct HeatCell {
  std::optional<double> value{};  ///< nothing: no good figure
  std::optional<double> loss{};   ///< of it beside the fleet's median, as a part of that; below 0: better
  bool found{};                   ///< a finding of the report
};

/// Losses of nodes by rows, those with the largest losses first both ways.
struct HeatMap {
  std::vector<std::string> nodes{}, rows{};    ///< a row's slot stands before its name
  std::vector<std::size_t> node_at{};          ///< indices of Fleet::nodes
  std::vector<std::size_t> row_at{};           ///< indices of Fleet::metrics
  std::vector<std::vector<HeatCell>> cells{};  ///< of nodes by rows
  std::size_t all_nodes{}, all_rows{};         ///< of the fleet
  std::size_t nodes_without_figures{};         ///< of these: they are not in the map
};

/// Of rows that at least two nodes have.
HeatMap heat_map(const Fleet& fleet, std::size_t most_nodes = most_heat_nodes, std::size_t most_rows = most_heat_rows);

/// What a reader has to know of what is not shown; sentences.
std::vector<std::string> heat_map_notes(const HeatMap& map);

/// A script for gnuplot 5.4 or later: a rectangle a cell, blue where a node is faster than the median, red where it is
/// slower, both full from 15 % on, grey without a figure, framed where the report has a finding.
std::string heat_map_script(const HeatMap& map, render::Format format, const std::filesystem::path& output);

/// The picture, by the output's ending (.svg, .png, .pdf), atomically. Throws Error where gnuplot is missing or fails,
/// and where there is nothing to draw.
void draw_heat_map(const Fleet& fleet, const std::filesystem::path& output);

/// The report, an answer_of() the fleet, with its heat map as one HTML document that needs no other file: the page
/// (page.hpp), where there is one; else a document without a script, whose map gnuplot draws.
std::string fleet_page(const Fleet& fleet, const Answer& answer, const std::string& title);

/// Most nodes and rows that the page has: those with the largest losses.
inline constexpr std::size_t most_page_nodes = 1000, most_page_rows = 200;

/// What the page (page.hpp) shows of a campaign, under the key "campaign" of its data:
///   nodes     {name, verdict, reason}, the largest losses first
///   rows      {name, slot, device, unit, median, values, losses}: a figure and a loss for each of `nodes`, null
///   without findings  {node, row, verdict, basis, cause}, where both are shown; indices of `nodes` and `rows` notes
///   sentences on what is not shown
nlohmann::json heat_map_json(const Fleet& fleet);

/// A document as data: a list of {heading}, {text}, {items} and {caption, columns, rows}. Pictures are left out.
nlohmann::json document_json(const render::Document& document);

}  // namespace gable::campaign
