#include "core/questions/check/acceptance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/model/figure_limits.hpp"
#include "core/text/csv_table.hpp"
#include "core/text/naming.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"

namespace gable::questions {
namespace {

std::string property(const std::string& name, const std::string& value) {
  return fmt::format("<property name=\"{}\" value=\"{}\"/>", for_markup(name), for_markup(value));
}

/// What was measured and accepted, with all digits.
std::string properties_of(const AcceptanceRow& row) {
  std::string text;
  const auto add = [&](const char* name, const std::optional<double>& figure) {
    if (figure) text += property(name, fmt::format("{}", *figure));
  };
  add("measured", row.value);
  add("measured low", row.low);
  add("measured high", row.high);
  add("beside", row.beside);
  add("accepted from", row.from);
  add("accepted to", row.to);
  add("speed", row.speed);
  if (!text.empty() && !row.unit.empty()) text += property("unit", row.unit);
  return text.empty() ? text : fmt::format("<properties>{}</properties>", text);
}

std::string outcome_of(const AcceptanceRow& row) {
  if (row.verdict == AcceptanceVerdict::pass) return "";
  if (!fails(row.verdict)) return fmt::format("<skipped message=\"{}\"/>", for_markup(row.reason));
  return fmt::format("<failure type=\"{}\" message=\"{}\"/>", to_string(row.verdict), for_markup(row.reason));
}

std::string case_of(const AcceptanceRow& row) {
  const std::string content = properties_of(row) + outcome_of(row);
  const std::string head =
      fmt::format("    <testcase classname=\"gable.{}\" name=\"{}\"", for_markup(row.criterion), for_markup(row.name));
  return content.empty() ? head + "/>\n" : fmt::format("{}>{}</testcase>\n", head, content);
}

struct Counted {
  int tests{}, failures{}, skipped{};
  std::string cases{};
};

std::string attributes(const Counted& counted) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", counted.tests, counted.failures,
                     counted.skipped);
}

void add(Counted& counted, const AcceptanceRow& row) {
  ++counted.tests;
  if (fails(row.verdict)) ++counted.failures;
  if (row.verdict != AcceptanceVerdict::pass && !fails(row.verdict)) ++counted.skipped;
}

using nlohmann::json;

constexpr std::array<std::string_view, 2> required{"name", "unit"};
constexpr std::array<std::string_view, 2> optional{"lower", "upper"};
constexpr std::array<std::string_view, 4> units{"flop/s", "op/s", "byte/s", "s"};

/// What is wrong with a whole range; empty if nothing.
std::string fault(const AcceptedRange& range) {
  if (std::ranges::find(units, range.unit) == units.end())
    return fmt::format("unit '{}' is none of flop/s, op/s, byte/s, s", range.unit);
  if (!range.lower && !range.upper) return "neither lower nor upper";
  if (range.lower && range.upper && *range.lower > *range.upper) return "lower is above upper";
  return "";
}

/// What one end of a range in this unit cannot be; empty if nothing.
std::string fault(std::optional<double> end, const std::string& unit) {
  return end ? why_impossible(*end, limits_of_unit(unit)) : std::string{};
}

AcceptedRange of_line(const CsvLine& line) {
  AcceptedRange range{.name = line.text("name"), .unit = line.text("unit")};
  if (!line.text_or_nothing("lower").empty()) range.lower = line.number("lower");
  if (!line.text_or_nothing("upper").empty()) range.upper = line.number("upper");
  if (const std::string wrong = fault(range); !wrong.empty()) line.fail("unit", wrong);
  if (const std::string wrong = fault(range.lower, range.unit); !wrong.empty()) line.fail("lower", wrong);
  if (const std::string wrong = fault(range.upper, range.unit); !wrong.empty()) line.fail("upper", wrong);
  return range;
}

AcceptedRange of_json(const json& entry, const std::string& pointer) {
  const auto fail = [&](const std::string& key, const std::string& what) {
    throw Error(fmt::format("{}{}: {}", pointer, key, what));
  };
  if (!entry.is_object()) fail("", "not an object");
  AcceptedRange range;
  for (const auto& [key, value] : entry.items()) {
    const std::string at = "/" + key;
    if (key == "name" || key == "unit") {
      if (!value.is_string() || value.get<std::string>().empty()) fail(at, "not a text");
      (key == "name" ? range.name : range.unit) = value.get<std::string>();
    } else if (key == "lower" || key == "upper") {
      if (!value.is_number() || !(value.get<double>() > 0)) fail(at, "not a positive number");
      (key == "lower" ? range.lower : range.upper) = value.get<double>();
    } else {
      fail(at, "unknown key; known: name, unit, lower, upper");
    }
  }
  if (range.name.empty()) fail("/name", "missing");
  if (const std::string wrong = fault(range); !wrong.empty()) fail("", wrong);
  if (const std::string wrong = fault(range.lower, range.unit); !wrong.empty()) fail("/lower", wrong);
  if (const std::string wrong = fault(range.upper, range.unit); !wrong.empty()) fail("/upper", wrong);
  return range;
}

}  // namespace

std::string junit(const Checked& checked, const std::string& command) {
  std::vector<std::pair<std::string, Counted>> suites;
  Counted all;
  for (const AcceptanceRow& row : checked.rows) {
    if (suites.empty() || suites.back().first != row.criterion) suites.emplace_back(row.criterion, Counted{});
    add(all, row);
    add(suites.back().second, row);
    suites.back().second.cases += case_of(row);
  }
  std::string printed;
  for (const std::string& remark : checked.remarks) printed += for_markup(remark) + '\n';
  if (!suites.empty() && !printed.empty())
    suites.front().second.cases += fmt::format("    <system-out>{}</system-out>\n", printed);
  std::string text = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n",
                                 for_markup(command), attributes(all));
  std::string properties;
  for (const auto& [name, value] : checked.properties) properties += "      " + property(name, value) + '\n';
  if (!properties.empty()) properties = fmt::format("    <properties>\n{}    </properties>\n", properties);
  for (const auto& [name, counted] : suites)
    text += fmt::format("  <testsuite name=\"{}\" {}>\n{}{}  </testsuite>\n", for_markup(name), attributes(counted),
                        properties, counted.cases);
  return text + "</testsuites>\n";
}

std::vector<AcceptedRange> read_limits(const std::filesystem::path& path) {
  std::vector<AcceptedRange> ranges;
  std::set<std::string> names;
  if (path.extension() != ".json") {
    read_csv_table(path, required, optional, [&](const CsvLine& line) {
      AcceptedRange range = of_line(line);
      if (!names.insert(range.name).second) line.fail("name", fmt::format("'{}' is there twice", range.name));
      range.where = fmt::format("{}: line {}, column unit", path.string(), line.line());
      ranges.push_back(std::move(range));
    });
    return ranges;
  }
  naming(path.string(), [&] {
    const json document = parse_json(read_text(path));
    if (!document.is_object() || document.size() != 1 || !document.contains("limits") ||
        !document["limits"].is_array() || document["limits"].empty())
      throw Error("not {\"limits\": [ … ]} with at least one entry");
    for (const json& entry : document["limits"]) {
      const std::string pointer = fmt::format("/limits/{}", ranges.size());
      AcceptedRange range = of_json(entry, pointer);
      if (!names.insert(range.name).second)
        throw Error(fmt::format("{}/name: '{}' is there twice", pointer, range.name));
      range.where = fmt::format("{}: {}/unit", path.string(), pointer);
      ranges.push_back(std::move(range));
    }
  });
  return ranges;
}

}  // namespace gable::questions
