#include "core/model/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.hpp"

namespace gable {
namespace {

struct Prefix {
  std::string_view text;
  double factor;
};
constexpr std::array large{Prefix{"", 1},     Prefix{"k", 1e3},  Prefix{"M", 1e6}, Prefix{"G", 1e9},
                           Prefix{"T", 1e12}, Prefix{"P", 1e15}, Prefix{"E", 1e18}};
constexpr std::array small{Prefix{"n", 1e-9}, Prefix{"u", 1e-6}, Prefix{"m", 1e-3}, Prefix{"", 1}};
constexpr std::array binary{Prefix{"Ki", 0x1p10}, Prefix{"Mi", 0x1p20}, Prefix{"Gi", 0x1p30}, Prefix{"Ti", 0x1p40}};

/// Unit of files -> unit for people.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> scaled{{{"flop/s", "FLOP/s"},
                                                                               {"flop", "FLOP"},
                                                                               {"op/s", "OP/s"},
                                                                               {"op", "OP"},
                                                                               {"byte/s", "B/s"},
                                                                               {"byte", "B"},
                                                                               {"s", "s"},
                                                                               {"Hz", "Hz"},
                                                                               {"W", "W"}}};

std::optional<std::string_view> short_unit(std::string_view unit) {
  const auto found = std::ranges::find(scaled, unit, [](const auto& entry) { return entry.first; });
  return found == scaled.end() ? std::nullopt : std::optional(found->second);
}

std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

template <std::size_t N>
std::string scale(double value, std::string_view unit, const std::array<Prefix, N>& prefixes) {
  const double rounds_up = 0.9995;  // 999.6 k reads 1 M
  const Prefix* best = &prefixes.front();
  for (const Prefix& prefix : prefixes) {
    if (std::abs(value) >= prefix.factor * rounds_up) best = &prefix;
  }
  return fmt::format("{} {}{}", three_digits(value / best->factor), best->text, unit);
}

bool same_unit(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// Of operations per second also what datasheets print. A stated peak may be of integers, too.
bool names_unit(std::string_view text, std::string_view unit) {
  if (text.empty() || same_unit(text, unit) || text == short_unit(unit).value_or(unit)) return true;
  return (unit == "flop/s" || unit == "op/s") &&
         (same_unit(text, "flops") || same_unit(text, "flops/s") || same_unit(text, "ops") || same_unit(text, "op/s"));
}

/// Whether it names bits, where `unit` counts bytes. A "b" alone may be either.
bool names_bits(std::string_view text, std::string_view unit) {
  if (is_rate(unit)) return same_unit(text, "bit/s") || same_unit(text, "bits/s") || text == "bps";
  return same_unit(text, "bit") || same_unit(text, "bits");
}

/// Factor of "GB/s", "Gi", "" … for the unit; nothing if it is not one of it.
std::optional<double> factor_of(std::string_view suffix, std::string_view unit) {
  if (names_unit(suffix, unit)) return 1;
  const auto match = [&](const auto& prefixes) -> std::optional<double> {
    for (const Prefix& prefix : prefixes) {
      if (!prefix.text.empty() && suffix.starts_with(prefix.text) &&
          names_unit(suffix.substr(prefix.text.size()), unit)) {
        return prefix.factor;
      }
    }
    return {};
  };
  if (unit == "s") return match(small);
  if (unit == "byte" || unit == "byte/s") {
    if (const auto factor = match(binary)) return factor;
    for (const auto& prefix : large) {
      if (suffix.starts_with(prefix.text) && names_bits(suffix.substr(prefix.text.size()), unit))
        return prefix.factor / 8;
    }
  }
  if (suffix.starts_with('K')) return names_unit(suffix.substr(1), unit) ? std::optional{1e3} : std::nullopt;
  return short_unit(unit) ? match(large) : std::nullopt;
}

}  // namespace

double to_digits(double value, int digits) {
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::isnormal(scale) ? std::round(value * scale) / scale : value;
}

std::string format_quantity(double value, std::string_view unit) {
  if (!std::isfinite(value)) return fmt::format("{} {}", value, unit);
  const auto name = short_unit(unit);
  if (!name) return fmt::format("{:.3g}{}{}", value, unit.empty() ? "" : " ", unit);
  if (value == 0) return fmt::format("0 {}", *name);
  return unit == "s" ? scale(value, *name, small) : scale(value, *name, large);
}

std::string format_prefixed(double value) { return scale(value, "", large); }

bool is_rate(std::string_view unit) { return unit.ends_with("/s"); }
bool is_intensity(std::string_view unit) { return unit == "flop/byte" || unit == "op/byte"; }

double parse_quantity(std::string_view text, std::string_view unit, std::string_view form) {
  const auto refuse = [&](const std::string& why) {
    throw Error(form.empty() ? why : fmt::format("{}: write it like {}", why, form));
  };
  const char* const end = text.data() + text.size();
  double number = 0;
  const auto [rest, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc{}) refuse(fmt::format("\"{}\" is not a number in {}", text, unit));
  std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  while (suffix.starts_with(' ')) suffix.remove_prefix(1);
  if (suffix.empty() && !form.empty()) refuse(fmt::format("\"{}\" has no unit", text));
  const auto factor = factor_of(suffix, unit);
  if (!factor) refuse(fmt::format("\"{}\": \"{}\" is not a prefix or unit of {}", text, suffix, unit));
  const double value = number * *factor;
  if (!std::isfinite(value) || !(value > 0))
    refuse(fmt::format("\"{}\": a positive, finite number in {} is needed", text, unit));
  return value;
}

}  // namespace gable
