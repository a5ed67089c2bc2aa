#include "core/workload/suite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/json/parse.hpp"
#include "core/model/figure_limits.hpp"
#include "core/sequence.hpp"
#include "core/text/naming.hpp"
#include "core/text/posix_file.hpp"

namespace gable::embedded {
extern const std::string_view suite_quick, suite_teaching, suite_ml, suite_hpc, suite_procurement, suite_all;
}

namespace gable::workload {
namespace {

constexpr int format_version = 1;

std::vector<std::pair<std::string_view, std::string_view>> embedded_suites() {
  return {{"quick", embedded::suite_quick}, {"teaching", embedded::suite_teaching},       {"ml", embedded::suite_ml},
          {"hpc", embedded::suite_hpc},     {"procurement", embedded::suite_procurement}, {"all", embedded::suite_all}};
}

/// Error of something that an entry names, with the place of it.
template <class Body>
auto at(const JsonLocation& place, Body&& body) {
  try {
    return body();
  } catch (const Error& error) {
    place.fail(error.what());
  }
}

bool takes(const Case& one, DType dtype) { return one.dtypes.empty() || std::ranges::count(one.dtypes, dtype) != 0; }

void check_dtypes(const JsonLocation& place, const Case& one, const OperatorSpec& spec) {
  for (const DType dtype : one.dtypes) {
    if (const std::string refused = refused_type(spec, dtype); !refused.empty()) place.fail(refused);
    if (std::ranges::count(one.dtypes, dtype) > 1) place.fail(fmt::format("{} is there twice", to_string(dtype)));
  }
}

void check_params(const JsonLocation& place, const Case& one, const OperatorSpec& spec) {
  for (const Params& params : one.params) {
    if (std::ranges::count(one.params, params) > 1) place.fail(fmt::format("'{}' is there twice", params.to_string()));
    for (const Types& types : spec.types) {
      if (takes(one, types.a)) at(place, [&] { return spec.work(params, types); });
    }
  }
}

/// Whether two entries mean some run both.
bool overlap(const Case& a, const Case& b) {
  const bool types = a.dtypes.empty() || b.dtypes.empty() ||
                     std::ranges::any_of(a.dtypes, [&](DType dtype) { return takes(b, dtype); });
  const bool sizes = (a.params.empty() && b.params.empty()) || std::ranges::any_of(a.params, [&](const Params& params) {
                       return std::ranges::count(b.params, params) != 0;
                     });
  return a.op == b.op && types && sizes;
}

Case read_case(const JsonLocation& place, Operators operators) {
  const JsonReader reader(place);
  place.allow_keys(std::array<std::string_view, 5>{"name", "params", "dtypes", "count", "label"});
  Case one;
  reader.field("name", one.op);
  const OperatorSpec& spec = *at(place, [&] { return &find_spec(operators, one.op); });
  std::optional<std::vector<std::string>> params;
  reader.field("params", params);
  for (const std::string& text : params.value_or(std::vector<std::string>{})) {
    one.params.push_back(at(place, [&] { return ordered(spec, Params::parse(text)); }));
  }
  std::optional<std::vector<DType>> dtypes;
  reader.field("dtypes", dtypes);
  one.dtypes = dtypes.value_or(std::vector<DType>{});
  reader.field("count", one.count);
  if (one.count && !(*one.count > 0 && std::isfinite(*one.count))) place.fail("count must be positive");
  if (one.count && *one.count > most_count)
    place.fail(fmt::format("count {:g} is more than {:g}", *one.count, most_count));
  if (one.count && one.params.empty()) place.fail("count needs params: it is how often each of those sizes is done");
  reader.unusual_field("label", one.label, std::string{});
  check_dtypes(place, one, spec);
  check_params(place, one, spec);
  return one;
}

std::vector<Case> read_cases(const JsonLocation& place, Operators operators) {
  std::vector<Case> cases;
  if (place.value() == "*") {
    for (const OperatorSpec* spec : operators) cases.push_back({.op = std::string(spec->name)});
    return cases;
  }
  if (!place.value().is_array()) place.expected("an array, or \"*\" for every operator");
  if (place.value().empty()) place.fail("names no operator");
  for (std::size_t i = 0; i < place.value().size(); ++i) {
    const JsonLocation entry(place, i, place.value()[i]);
    Case one = read_case(entry, operators);
    if (std::ranges::any_of(cases, [&](const Case& before) { return overlap(before, one); }))
      entry.fail(fmt::format("{} is there twice with the same sizes and types", one.op));
    cases.push_back(std::move(one));
  }
  return cases;
}

Suite read_suite(const nlohmann::json& document, Operators operators) {
  const JsonLocation root(document);
  const JsonReader reader(root);
  root.allow_keys(std::array<std::string_view, 4>{"schema", "name", "summary", "operators"});
  int version = 0;
  reader.field("schema", version);
  if (version != format_version)
    root.fail(fmt::format("format {} of suites is not known here, {} is", version, format_version));
  Suite suite;
  reader.field("name", suite.name);
  reader.field("summary", suite.summary);
  const auto operators_key = document.find("operators");
  if (operators_key == document.end()) root.fail("key 'operators' is missing");
  suite.cases = read_cases(JsonLocation(root, "operators", *operators_key), operators);
  return suite;
}

}  // namespace

Suite parse_suite(std::string_view text, const std::string& source, Operators operators) {
  return naming(source, [&] { return read_suite(parse_json(text), operators); });
}

std::string suite_text(const Suite& suite) {
  nlohmann::ordered_json document{{"schema", format_version}, {"name", suite.name}, {"summary", suite.summary}};
  auto& list = document["operators"] = nlohmann::ordered_json::array();
  for (const Case& one : suite.cases) {
    nlohmann::ordered_json entry{{"name", one.op}};
    for (const Params& params : one.params) entry["params"].push_back(params.to_string());
    for (const DType dtype : one.dtypes) entry["dtypes"].push_back(to_string(dtype));
    if (one.count) entry["count"] = *one.count;
    if (!one.label.empty()) entry["label"] = one.label;
    list.push_back(std::move(entry));
  }
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::string_view> suite_names() {
  return mapped(embedded_suites(), [](const auto& suite) { return suite.first; });
}

Suite find_suite(const std::string& name_or_path, Operators operators) {
  for (const auto& [name, text] : embedded_suites()) {
    if (name == name_or_path) return parse_suite(text, fmt::format("suite {}", name), operators);
  }
  if (!std::filesystem::exists(name_or_path)) {
    throw Error(fmt::format("no suite and no file '{}'; suites: {}", name_or_path, fmt::join(suite_names(), ", ")));
  }
  return parse_suite(read_text(name_or_path), name_or_path, operators);
}

Answer answer_of(const Suite& suite, Operators operators) {
  const auto facts = [&](const Case& one) -> Answer::Facts {
    std::vector<std::string> sizes, types;
    for (const Params& params : one.params) sizes.push_back(params.to_string());
    for (const DType dtype : one.dtypes) types.emplace_back(to_string(dtype));
    return {{"operator", "operator", one.op},
            {"summary", "summary", find_spec(operators, one.op).summary},
            {"sizes", "sizes", sizes},
            {"types", "types", types}};
  };
  Answer answer;
  answer.add_facts("", "", {{"name", "suite", suite.name}, {"summary", "summary", suite.summary}});
  answer.add_table("operators", "", table_of(suite.cases, facts));
  return answer;
}

Answer suites_answer(Operators operators) {
  Answer answer;
  answer.add_table("suites", "", table_of(suite_names(), [&](std::string_view name) -> Answer::Facts {
                     const Suite suite = find_suite(std::string(name), operators);
                     return {{"name", "suite", name},
                             {"operators", "operators", suite.cases.size()},
                             {"summary", "summary", suite.summary}};
                   }));
  return answer;
}

}  // namespace gable::workload
