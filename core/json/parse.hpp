#pragma once
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gable {

/// JSON of a text. Throws Error with one short line that says where the text stops being JSON, or which key an object
/// has twice.
nlohmann::json parse_json(std::string_view text);

/// The objects and lists that are open while a text is walked. Throws Error for a key that an object has already, and
/// for nesting of more than 100, which no document that is read here has (it would take gigabytes).
class OpenKeys {
 public:
  void open();  ///< an object or a list begins
  void close();
  void add(const std::string& key);
  std::size_t depth() const { return depth_; }

 private:
  /// The keys of an object. Most have few, and stand where those of the one before did.
  struct Keys {
    std::vector<std::string> first;
    std::size_t count{};         ///< of the first, the others are of objects before
    std::set<std::string> more;  ///< where they are many
  };
  std::vector<Keys> keys_;  ///< outermost first
  std::size_t depth_{};
};

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
