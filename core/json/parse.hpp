#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gable {

/// JSON of a text. Throws Error with one short line that says where the text stops being JSON, or which key an object
/// has twice.
nlohmann::json parse_json(std::string_view text);

/// Text of a document; indent < 0: one line. Bytes that are not UTF-8 become U+FFFD.
std::string dump_json(const nlohmann::json& json, int indent);

}  // namespace gable
