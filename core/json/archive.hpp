#pragma once
#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/enum_names.hpp"
#include "core/error.hpp"

/// Structs to JSON and back from one list of keys. A struct names its keys once, in a function template
/// `fields(archive, struct)` beside its own declaration. JsonWriter and JsonTextWriter (text_writer.hpp), JsonReader
/// and StrictJsonReader (strict_reader.hpp) walk that list, so what is written is what is read; so does FieldCheck
/// (result/impossible_figures.cpp), which judges the figures.
namespace gable {

/// S is T or const T: lets one `fields` serve those that write and those that read.
template <class S, class T>
concept SameStruct = std::same_as<std::remove_const_t<S>, T>;

class JsonWriter;

template <class T>
nlohmann::json write_json(const T& value);

/// Writes the fields of one struct into an object. An empty optional has no key.
class JsonWriter {
 public:
  template <class T>
  void field(const char* key, const T& value) {
    object_[key] = write_json(value);
  }
  template <class T>
  void field(const char* key, const std::optional<T>& value) {
    if (value) field(key, *value);
  }
  /// A value that is hardly ever other than `usual` has no key then.
  template <class T>
  void unusual_field(const char* key, const T& value, const T& usual) {
    if (value != usual) field(key, value);
  }
  /// A figure that follows from the others: written for people and other programs, ignored when read.
  void derived(const char* key, const std::optional<double>& value) { field(key, value); }

  nlohmann::json take() { return std::move(object_); }

 private:
  nlohmann::json object_ = nlohmann::json::object();
};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
nlohmann::json write_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(to_string(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (IsVector<T>::value) {
    auto array = nlohmann::json::array();
    for (const auto& entry : value) array.push_back(write_json(entry));
    return array;
  } else {
    JsonWriter writer;
    fields(writer, value);
    return writer.take();
  }
}

/// A value within a document, and the way to it (for messages).
class JsonLocation {
 public:
  explicit JsonLocation(const nlohmann::json& root) : value_(root) {}
  JsonLocation(const JsonLocation& parent, std::string_view key, const nlohmann::json& value)
      : value_(value), parent_(&parent), key_(key) {}
  JsonLocation(const JsonLocation& parent, std::size_t index, const nlohmann::json& value)
      : value_(value), parent_(&parent), index_(index) {}

  const nlohmann::json& value() const { return value_; }
  /// JSON pointer (RFC 6901), "" for the root.
  std::string pointer() const;
  /// Throws Error "<pointer>: <problem>".
  [[noreturn]] void fail(std::string_view problem) const;
  [[noreturn]] void expected(std::string_view what) const;
  /// Throws Error for a key of the object that is not among these: what is misspelt would be left out in silence.
  void allow_keys(std::span<const std::string_view> known) const;

 private:
  const nlohmann::json& value_;
  const JsonLocation* parent_{};
  std::string_view key_;
  std::size_t index_{};
};

template <class T>
void read_json(const JsonLocation& place, T& value);

/// Reads the fields of one struct out of an object. Unknown keys are ignored.
class JsonReader {
 public:
  /// Throws Error unless the place holds an object.
  explicit JsonReader(const JsonLocation& place) : place_(place) {
    if (!place.value().is_object()) place.expected("an object");
  }
  template <class T>
  void field(const char* key, T& value) const {
    const auto found = place_.value().find(key);
    if (found == place_.value().end()) place_.fail(fmt::format("key '{}' is missing", key));
    read_json(JsonLocation(place_, key, *found), value);
  }
  template <class T>
  void field(const char* key, std::optional<T>& value) const {
    const auto found = place_.value().find(key);
    value.reset();
    if (found != place_.value().end() && !found->is_null())
      read_json(JsonLocation(place_, key, *found), value.emplace());
  }
  template <class T>
  void unusual_field(const char* key, T& value, const T& usual) const {
    std::optional<T> found;
    field(key, found);
    value = found.value_or(usual);
  }
  void derived(const char*, const std::optional<double>&) const {}

 private:
  const JsonLocation& place_;
};

template <class T>
void read_json(const JsonLocation& place, T& value) {
  const auto& json = place.value();
  if constexpr (std::is_enum_v<T>) {
    if (!json.is_string()) place.expected("a string");
    const auto& text = json.get_ref<const std::string&>();
    const auto parsed = parse_name<T>(text);
    if (!parsed) place.fail(fmt::format("'{:.60}' is not known here", text));
    value = *parsed;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number() && !json.is_null()) place.expected("a number");
    value = json.is_null() ? std::numeric_limits<T>::quiet_NaN() : json.get<T>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) place.expected("true or false");
    value = json.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    if (!json.is_number_integer()) place.expected("a whole number");
    const bool too_big =
        json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max();
    if (too_big || !std::in_range<T>(json.get<std::int64_t>())) place.fail("the number is out of range");
    value = static_cast<T>(json.get<std::int64_t>());
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) place.expected("a string");
    value = json.get_ref<const std::string&>();
  } else if constexpr (IsVector<T>::value) {
    if (!json.is_array()) place.expected("an array");
    value.clear();
    value.reserve(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) read_json(JsonLocation(place, i, json[i]), value.emplace_back());
  } else {
    const JsonReader reader(place);
    fields(reader, value);
  }
}

/// Whole value out of a document's root.
template <class T>
T read_json_root(const nlohmann::json& json) {
  T value;
  read_json(JsonLocation(json), value);
  return value;
}

}  // namespace gable
