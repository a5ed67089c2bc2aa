#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gable {

/// JSON of a text. Throws Error with one short line that says where the text stops being JSON, or which key an object
/// has twice, and for nesting of more than 100, which no document that is read here has (it would take gigabytes).
nlohmann::json parse_json(std::string_view text);

/// Values within a document: the keys on the way to them, "*" for every entry of a list.
struct JsonPlace {
  std::vector<std::string_view> path;
  /// Called with each, which it may move away. `indices`: which entry it is, or is within, of the lists on the way.
  std::function<void(nlohmann::json& value, std::span<const std::size_t> indices)> take;
};

/// Takes out of a text what stands at these places, one after the other in the order of the text; nothing else is ever
/// in memory, as profiles have gigabytes. Throws Error as parse_json().
void take_json(std::string_view text, std::span<const JsonPlace> places);

/// What an object has under a key; JSON's null where there is nothing, and of what is no object.
const nlohmann::json& member_of(const nlohmann::json& object, std::string_view key);

/// Text of a document; indent < 0: one line. Bytes that are not UTF-8 become U+FFFD.
std::string dump_json(const nlohmann::json& json, int indent);

/// Texts as dump_json() writes them: a string in quotes, numbers. What is not finite is null.
void append_json_string(std::string& text, std::string_view value);
void append_json_number(std::string& text, double value);
void append_json_number(std::string& text, std::int64_t value);

/// Adds values between two brackets, each on a line of its own, as dump_json(…, 1) does in lines that stand `blanks` to
/// the right. `append(value)` adds one of them.
template <class Values, class Append>
void append_json_lines(std::string& text, const Values& values, std::string_view brackets, std::size_t blanks,
                       Append&& append) {
  text += brackets[0];
  bool first = true;
  for (const auto& value : values) {
    text += first ? "\n" : ",\n";
    first = false;
    text.append(blanks + 1, ' ');
    append(value);
  }
  if (!first) text.append(1, '\n').append(blanks, ' ');
  text += brackets[1];
}

/// Adds the text of dump_json(json, 1) to another, in whose lines it stands `blanks` to the right: what is written
/// part by part.
void append_json(std::string& text, const nlohmann::json& json, std::size_t blanks);

}  // namespace gable
