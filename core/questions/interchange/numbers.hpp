#pragma once
#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace gable::interchange {

/// Throws Error "line N: …".
template <class... Values>
[[noreturn]] void fail_at(int line, fmt::format_string<Values...> what, Values&&... values) {
  throw Error(fmt::format("line {}: {}", line, fmt::format(what, std::forward<Values>(values)...)));
}

/// Reads numbers of a file whose locale is not known: "1,234.5", "1.234,5", "1 234,5". Every number of the file is
/// seen() first, so that one that is plain ("12.34") says how the others ("117.344") are meant.
class Numbers {
 public:
  /// Notes what the text shows of the separators. Texts that are no numbers show nothing.
  void see(std::string_view text, int line);
  /// For tools that write points whatever the locale: points divide where no number that was seen has a comma.
  void assume_points();
  /// The number; nothing for what stands for none: "", "n/a", "nan", "nil", "-", "<not counted>". Throws Error
  /// "line N: …" for other texts, and where nothing in the file says whether a separator groups or divides.
  std::optional<double> value(std::string_view text, int line) const;
  /// end - begin. What stands before the point is subtracted as 64-bit integers: timestamps in ns since 1970 have 19
  /// digits, of which a double keeps 16. Nothing where one of them stands for none; throws as value().
  std::optional<double> difference(std::string_view end, std::string_view begin, int line) const;

 private:
  /// The number's digits with a point before the fraction and nothing that groups; nothing for what stands for none.
  std::optional<std::string> plain(std::string_view text, int line) const;
  /// Where a separator was seen to divide the fraction off (or to group digits).
  struct Evidence {
    int line{};
    std::string text;
  };
  std::optional<Evidence> point_divides_, comma_divides_;
  bool any_comma_{};
};

/// How many of a base unit one of a unit is, as the tools write prefixes: 1e3 of "Kbyte", 1e-6 of "us", 1024 of "KiB".
/// Nothing for one that is no multiple of any of the bases, such as {"byte", "B"}.
std::optional<double> unit_factor(std::string_view unit, std::initializer_list<std::string_view> bases);

}  // namespace gable::interchange
