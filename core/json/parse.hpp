#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gable {

/// JSON of a text. Throws Error with one short line that says where the text stops being JSON, or which key an object
/// has twice.
nlohmann::json parse_json(std::string_view text);

/// Text of a document; indent < 0: one line. Bytes that are not UTF-8 become U+FFFD.
std::string dump_json(const nlohmann::json& json, int indent);

/// Adds the text of dump_json(json, 1) to another, in whose lines it stands `blanks` to the right: what is written
/// part by part.
void append_json(std::string& text, const nlohmann::json& json, std::size_t blanks);

}  // namespace gable
