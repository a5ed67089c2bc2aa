#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/json/archive.hpp"

/// Reading of files that people write: unknown keys, which JsonReader passes over, are refused here.
namespace gable {

/// The value at a place, out of `fields` as JsonReader does it. Throws Error "<pointer>: …" also for unknown keys and
/// for numbers that are negative or null.
template <class T>
void read_json_strictly(const JsonLocation& place, T& value);

class StrictJsonReader {
 public:
  /// Throws Error unless the place holds an object.
  explicit StrictJsonReader(const JsonLocation& place) : place_(place) {
    if (!place.value().is_object()) place.expected("an object");
  }
  template <class T>
  void field(const char* key, T& value) {
    if (!read(key, value)) place_.fail(fmt::format("key '{}' is missing", key));
  }
  template <class T>
  void field(const char* key, std::optional<T>& value) {
    T found{};
    value.reset();
    if (read(key, found)) value = std::move(found);
  }
  template <class T>
  void unusual_field(const char* key, T& value, const T& usual) {
    if (!read(key, value)) value = usual;
  }
  void refuse_other_keys() const { place_.allow_keys(known_); }

 private:
  template <class T>
  bool read(const char* key, T& value) {
    known_.emplace_back(key);
    const auto found = place_.value().find(key);
    if (found == place_.value().end()) return false;
    read_json_strictly(JsonLocation(place_, key, *found), value);
    return true;
  }

  const JsonLocation& place_;
  std::vector<std::string_view> known_;
};

template <class T>
void read_json_strictly(const JsonLocation& place, T& value) {
  if constexpr (IsVector<T>::value) {
    if (!place.value().is_array()) place.expected("an array");
    value.clear();
    for (std::size_t i = 0; i < place.value().size(); ++i)
      read_json_strictly(JsonLocation(place, i, place.value()[i]), value.emplace_back());
  } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
    StrictJsonReader reader(place);
    fields(reader, value);
    reader.refuse_other_keys();
  } else {
    read_json(place, value);
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (!(static_cast<double>(value) >= 0)) place.fail("the number must not be negative");
    }
  }
}

}  // namespace gable
