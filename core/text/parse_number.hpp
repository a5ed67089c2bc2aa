#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace gable {

/// The number that a whole text is; nothing of other texts, and of numbers that the type does not hold.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// A range of numbers.
struct Limits {
  double least{}, most{};
  bool hold(double value) const { return value >= least && value <= most; }
};

}  // namespace gable
