#include "core/result/figure_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/result/archive.hpp"
#include "core/result/json.hpp"

namespace gable::result {
namespace {

using nlohmann::json;

/// What a figure can be, both ends included.
struct Limits {
  double least, most;
  std::string_view words;
};

// The fastest machines of today do 1e18 flop/s, their caches give 1e16 byte/s and their memories hold 1e16 byte. What
// is built in the next twenty years may be ten thousand times that; a typo or a wrong unit is mostly more.
constexpr Limits time{0, 3.2e7, "a time is positive, and no run of an operator or a kernel takes a year (3.2e7 s)"};
constexpr Limits byte{0, 1e18, "bytes are not negative, and no operator moves or holds an exabyte (1e18 byte)"};
constexpr Limits operations{0, 1e24, "operations are not negative, and no operator does 1e24"};
constexpr Limits flop_rate{0, 1e24, "a rate of arithmetic is not negative, and no machine does 1e24 a second"};
constexpr Limits byte_rate{0, 1e20, "a bandwidth is not negative, and no memory moves 1e20 byte a second"};
constexpr Limits count{0, most_count, "a count is not negative, and no workload does one thing more than 1e15 times"};
constexpr Limits parts{0, 1e9, "a number of parts is not negative, and no device has a billion of them"};
constexpr Limits clock{0, 1e12, "a clock is not negative, and none ticks faster than 1 THz"};
constexpr Limits power{0, 1e9, "a power is not negative, and no device draws a gigawatt"};
constexpr Limits temperature{-273.15, 1000, "no chip is colder than absolute zero or hotter than 1000 degrees"};
constexpr Limits fraction{0, 1e4,
                          "a fraction is not negative, and nothing is ten thousand times what its limit allows"};
constexpr Limits percent{0, 1e6,
                         "a percentage is not negative, and nothing is ten thousand times what its limit allows"};
constexpr Limits curve{-1e24, 1e24, "no curve goes beyond 1e24 in any unit"};

/// The limits of figures whose unit stands beside them.
const Limits& limits_of_unit(std::string_view unit) {
  return unit == "s" ? time : unit == "byte/s" ? byte_rate : flop_rate;
}

bool within(double figure, const Limits& limits) { return figure >= limits.least && figure <= limits.most; }

struct KeyLimits {
  std::string_view key;
  const Limits* limits;  ///< null: those of the unit
};
constexpr std::array key_limits = {
    KeyLimits{"time_s", &time},
    KeyLimits{"ci_low_s", &time},
    KeyLimits{"ci_high_s", &time},
    KeyLimits{"median_s", &time},
    KeyLimits{"median_ci_low_s", &time},
    KeyLimits{"median_ci_high_s", &time},
    KeyLimits{"samples_s", &time},
    KeyLimits{"bound_s", &time},
    KeyLimits{"value", nullptr},
    KeyLimits{"ci_low", nullptr},
    KeyLimits{"ci_high", nullptr},
    KeyLimits{"median", nullptr},
    KeyLimits{"median_ci_low", nullptr},
    KeyLimits{"median_ci_high", nullptr},
    KeyLimits{"samples", nullptr},
    KeyLimits{"figure", nullptr},
    KeyLimits{"datasheet", nullptr},
    KeyLimits{"theory_at_clock", nullptr},
    KeyLimits{"with_write_allocate_byte_per_s", &byte_rate},
    KeyLimits{"bytes", &byte},
    KeyLimits{"bytes_read", &byte},
    KeyLimits{"bytes_written", &byte},
    KeyLimits{"bytes_updated", &byte},
    KeyLimits{"working_set_bytes", &byte},
    KeyLimits{"size_bytes", &byte},
    KeyLimits{"memory_bytes", &byte},
    KeyLimits{"free_memory_bytes", &byte},
    KeyLimits{"operations", &operations},
    KeyLimits{"per_core_and_cycle", &operations},
    KeyLimits{"count", &count},
    KeyLimits{"launches", &count},
    KeyLimits{"threads", &parts},
    KeyLimits{"cores", &parts},
    KeyLimits{"sockets", &parts},
    KeyLimits{"instances", &parts},
    KeyLimits{"shared_by_cores", &parts},
    KeyLimits{"line_bytes", &parts},
    KeyLimits{"blocks", &parts},
    KeyLimits{"used_blocks", &parts},
    KeyLimits{"clock_hz", &clock},
    KeyLimits{"base_clock_hz", &clock},
    KeyLimits{"max_clock_hz", &clock},
    KeyLimits{"power_w", &power},
    KeyLimits{"temperature_c", &temperature},
    KeyLimits{"huge_page_fraction", &fraction},
    KeyLimits{"fraction_of_limit", &fraction},
    KeyLimits{"percent_of_datasheet", &percent},
    KeyLimits{"percent_at_clock", &percent},
    KeyLimits{"x", &curve},
    KeyLimits{"y", &curve},
};

std::optional<double> number(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional{found->get<double>()} : std::nullopt;
}

std::string text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

double sum_of(const json& array, const char* key) {
  double sum = 0;
  for (const json& entry : array) {
    if (entry.is_object()) sum += number(entry, key).value_or(0);
  }
  return sum;
}

/// Walks a document and gathers what cannot be.
class Search {
 public:
  explicit Search(std::size_t most) : most_(most) {}

  /// What lies deeper than anything of this format is of a newer version, or no result.
  void object(const Place& place, const std::string& unit_around, int depth = 0) {
    constexpr int deepest = 20;
    if (depth > deepest) return;
    const json& here = place.value();
    const std::string status = text(here, "status");
    if (!status.empty() && status != "ok" && status != "suspect") return;  // its figures mean nothing
    const bool is_point = here.contains("time_s");
    const std::string unit = is_point ? "s" : here.contains("unit") ? text(here, "unit") : unit_around;
    for (const auto& [key, value] : here.items()) {
      const Place inner(place, key, value);
      const auto known = std::ranges::find(key_limits, key, &KeyLimits::key);
      if (known != key_limits.end()) figures(inner, known->limits ? *known->limits : limits_of_unit(unit));
      if (value.is_object()) object(inner, unit, depth + 1);
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
        if (value[i].is_object()) object(Place(inner, i, value[i]), unit, depth + 1);
      }
    }
    if (is_point && !status.empty()) point(place);
    if (!status.empty()) ratio(place, "value", "datasheet");
    if (!status.empty()) ratio(place, "value", "theory_at_clock");
  }

  std::vector<Impossible> take() { return std::move(found_); }

 private:
  /// Of a number, or of the numbers of an array.
  void figures(const Place& place, const Limits& limits) {
    const json& value = place.value();
    figure(place, limits);
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) figure(Place(place, i, value[i]), limits);
  }

  void figure(const Place& place, const Limits& limits) {
    if (!place.value().is_number()) return;
    const double here = place.value().get<double>();
    if (!within(here, limits)) add(place, fmt::format("{:.6g}: {}", here, limits.words));
  }

  /// What only several keys together show. A figure that is impossible by itself was found before.
  void point(const Place& place) {
    const json& row = place.value();
    const auto time_s = number(row, "time_s");
    if (!time_s || *time_s < 0) return;
    const Place key(place, "time_s", row["time_s"]);
    if (*time_s == 0) return add(key, fmt::format("0: {}", time.words));
    ratio(place, "bound_s", "time_s");
    const auto stages = row.find("stages");
    if (stages == row.end() || !stages->is_array()) return;
    const double bytes = sum_of(*stages, "bytes_read") + sum_of(*stages, "bytes_written");
    double done = 0;
    for (const json& stage : *stages) {
      if (stage.is_object() && stage.contains("work")) done += sum_of(stage["work"], "operations");
    }
    if (bytes <= byte.most && bytes / *time_s > byte_rate.most)
      add(key, fmt::format("{:.6g} for {:.6g} byte: {}", *time_s, bytes, byte_rate.words));
    else if (done <= operations.most && done / *time_s > flop_rate.most)
      add(key, fmt::format("{:.6g} for {:.6g} operations: {}", *time_s, done, flop_rate.words));
  }

  void ratio(const Place& place, const char* above, const char* below) {
    const auto a = number(place.value(), above), b = number(place.value(), below);
    if (!a || !b || !(*b > 0) || *a / *b <= fraction.most) return;
    add(Place(place, above, place.value()[above]),
        fmt::format("{:.6g}, with {} {:.6g}: {}", *a, below, *b, fraction.words));
  }

  void add(const Place& place, std::string what) {
    if (found_.size() < most_) found_.push_back({place.pointer(), std::move(what)});
  }

  std::size_t most_;
  std::vector<Impossible> found_;
};

/// A sensor that told nonsense takes no measurement with it.
void drop_impossible(Conditions& conditions) {
  const auto judge = [](std::optional<double>& figure, const Limits& limits) {
    if (figure && !within(*figure, limits)) figure.reset();
  };
  judge(conditions.clock_hz, clock);
  judge(conditions.power_w, power);
  judge(conditions.temperature_c, temperature);
  judge(conditions.huge_page_fraction, fraction);
}

template <class OneRow>
void fail(OneRow& row) {
  if constexpr (requires { row.conditions; }) drop_impossible(row.conditions);
  const auto found = impossible_figures(to_json(Row(row)), 1);
  if (found.empty()) return;
  row.status = Status::error;
  row.reason = fmt::format("a figure that cannot be: {} {}", found.front().where, found.front().what);
}

}  // namespace

std::vector<Impossible> impossible_figures(const json& document, std::size_t most) {
  Search search(most);
  if (document.is_object()) search.object(Place(document), "");
  return search.take();
}

void refuse_impossible(const json& document) {
  const auto found = impossible_figures(document, 1);
  if (!found.empty()) throw Error(fmt::format("{}: {}", found.front().where, found.front().what));
}

void fail_impossible(Row& row) {
  std::visit([](auto& entry) { fail(entry); }, row);
}

void fail_impossible(Result& result) {
  for (Ceiling& row : result.ceilings) fail(row);
  for (Curve& row : result.curves) fail(row);
  for (Point& row : result.points) fail(row);
}

}  // namespace gable::result
