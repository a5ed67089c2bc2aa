#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "core/questions/campaign/fleet.hpp"
#include "core/render/document.hpp"

namespace gable::campaign {

/// Most nodes and rows that the page has: those with the largest losses.
inline constexpr std::size_t most_page_nodes = 1000, most_page_rows = 200;

/// What the page (page.hpp) shows of a campaign, under the key "campaign" of its data:
///   nodes     {name, verdict, reason}, the largest losses first
///   rows      {name, slot, device, unit, median, values, losses}: a figure and a loss for each of `nodes`, null
///   without findings  {node, row, verdict, basis, cause}, where both are shown; indices of `nodes` and `rows` notes
///   sentences on what is not shown
nlohmann::json heat_map_json(const campaign::Fleet& fleet);

/// A document as data: a list of {heading}, {text}, {items} and {caption, columns, rows}. Pictures are left out.
nlohmann::json document_json(const render::Document& document);

}  // namespace gable::campaign
