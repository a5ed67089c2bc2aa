#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/json/archive.hpp"
#include "core/json/parse.hpp"

/// Structs straight to the text of JSON. A document between them would take most of the time in which 10^5 rows are
/// written.
namespace gable {

/// A text that grows, and the objects in it that are not complete.
struct JsonText {
  struct Entry {
    std::string_view key;    ///< a literal: it is read when the object is complete
    std::size_t begin, end;  ///< in `text`, with the comma and the line break in front
  };
  std::string text;
  std::vector<Entry> entries;
  std::string sorted;  ///< room to bring the entries of an object into order
};

/// Adds what append_json(text, write_json(value), blanks) would.
template <class T>
void append_json_of(JsonText& to, const T& value, std::size_t blanks);

/// Writes the fields of one struct as an object, whose keys come in alphabetical order. They are literals, and no
/// struct has one twice (close() asserts it): JsonWriter would keep the last of the two, this would write both.
class JsonTextWriter {
 public:
  JsonTextWriter(JsonText& to, std::size_t blanks)
      : to_(to), blanks_(blanks), begin_(to.text.size()), first_(to.entries.size()) {}

  template <class T>
  void field(const char* key, const T& value) {
    const std::size_t begin = to_.text.size();
    open_line(key);
    append_json_of(to_, value, blanks_ + 1);
    to_.entries.push_back({key, begin, to_.text.size()});
  }
  template <class T>
  void field(const char* key, const std::optional<T>& value) {
    if (value) field(key, *value);
  }
  template <class T>
  void unusual_field(const char* key, const T& value, const T& usual) {
    if (value != usual) field(key, value);
  }
  void derived(const char* key, const std::optional<double>& value) { field(key, value); }

  /// Puts the object together; after its last field.
  void close();

 private:
  void open_line(std::string_view key);

  JsonText& to_;
  std::size_t blanks_, begin_, first_;  ///< where the object begins, in the text and among the entries
};

template <class T>
void append_json_of(JsonText& to, const T& value, std::size_t blanks) {
  if constexpr (std::is_enum_v<T>) {
    append_json_string(to.text, to_string(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    to.text += value ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    append_json_number(to.text, static_cast<double>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    static_assert(std::signed_integral<T> || sizeof(T) < sizeof(std::int64_t));
    append_json_number(to.text, static_cast<std::int64_t>(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    append_json_string(to.text, value);
  } else if constexpr (IsVector<T>::value) {
    append_json_lines(to.text, value, "[]", blanks, [&](const auto& entry) { append_json_of(to, entry, blanks + 1); });
  } else {
    JsonTextWriter writer(to, blanks);
    fields(writer, value);
    writer.close();
  }
}

}  // namespace gable
