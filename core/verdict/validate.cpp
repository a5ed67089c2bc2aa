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
#include "core/text/naming.hpp"
#include "core/text/posix_file.hpp"

namespace gable::embedded {
extern const std::string_view result_schema;
}

namespace gable::verdict {
namespace {

using nlohmann::json;
using valijson::adapters::NlohmannJsonAdapter;

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

std::vector<Finding> schema_findings(const json& document) {
  const json schema_document = json::parse(embedded::result_schema);
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
  try {
    document = parse_json(text);
  } catch (const Error& error) {
    return {{true, "", error.what()}};
  }
  naming(path.string(), [&] { result::check_format(document); });
  auto findings = schema_findings(document);
  if (!findings.empty()) return findings;
  try {
    const Result result = result::result_from_json(document);
    auto impossible = result::impossible_figures(result);
    if (impossible.empty()) impossible = result::impossible_points(result);
    findings = plausibility(result, known);
    for (auto& figure : impossible) findings.push_back({false, std::move(figure.where), std::move(figure.what)});
  } catch (const Error& error) {  // what the schema cannot say: a number out of range
    return {{true, "", error.what()}};
  }
  return findings;
}

}  // namespace gable::verdict
