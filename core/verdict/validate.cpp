#include "core/verdict/validate.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/json.hpp"
#include "core/text/posix_file.hpp"

namespace gable::embedded {
extern const std::string_view result_schema;
}

namespace gable::verdict {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

/// A newer minor version may have keys that this build does not know.
void allow_unknown_keys(json& schema) {
  if (schema.is_object()) schema.erase("additionalProperties");
  if (!schema.is_structured()) return;
  for (auto& entry : schema) allow_unknown_keys(entry);
}

/// JSON pointer of a validator's path: "<root>", "[ceilings]", "[0]"; newer valijson quotes the names.
std::string pointer_of(const std::vector<std::string>& context) {
  std::string pointer;
  for (const auto& step : context) {
    if (step.size() < 2 || step.front() != '[') continue;
    pointer += '/';
    const bool quoted = step.size() > 4 && step[1] == '"';
    pointer.append(step, quoted ? 2 : 1, step.size() - (quoted ? 4 : 2));
  }
  return pointer;
}

/// The validator reports a problem at its own place and again at every place around it: the innermost are kept.
std::vector<Finding> innermost(const valijson::ValidationResults& results) {
  constexpr std::size_t most = 100;
  std::vector<Finding> findings;
  for (const auto& error : results) {
    const auto where = pointer_of(error.context);
    const bool around = error.description.starts_with("Failed to validate") && !findings.empty();
    if (around) continue;
    findings.push_back({true, where, fmt::format("{:.200}", error.description)});
    if (findings.size() == most) break;
  }
  return findings;
}

std::vector<Finding> schema_findings(const json& document, bool unknown_keys_allowed) {
  json schema_document = json::parse(embedded::result_schema);
  if (unknown_keys_allowed) allow_unknown_keys(schema_document);
  valijson::Schema schema;
  valijson::SchemaParser parser;
  parser.populateSchema(NlohmannJsonAdapter(schema_document), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, NlohmannJsonAdapter(document), &results)) return {};
  return innermost(results);
}

}  // namespace

std::vector<Finding> validate_file(const std::filesystem::path& path, Operators known) {
  const auto text = read_text(path);
  json document;
  result::FormatVersion version;
  try {
    document = parse_json(text);
  } catch (const Error& error) {
    return {{true, "", error.what()}};
  }
  try {
    version = result::format_version(document);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
  const bool newer = version.major == schema_major && version.minor > schema_minor;
  auto findings = schema_findings(document, newer);
  if (!findings.empty()) return findings;
  try {
    const Result result = result::result_from_json(document);
    auto impossible = result::impossible_figures(document);
    if (impossible.empty()) impossible = result::impossible_points(result);
    findings = plausibility(result, known);
    for (auto& figure : impossible) findings.push_back({false, std::move(figure.where), std::move(figure.what)});
  } catch (const Error& error) {  // what the schema cannot say: a number out of range
    return {{true, "", error.what()}};
  }
  if (newer) {
    findings.push_back({false, "/schema_version",
                        fmt::format("format {}.{} is newer than {}.{}: unknown keys were not checked", version.major,
                                    version.minor, schema_major, schema_minor)});
  }
  return findings;
}

}  // namespace gable::verdict
