#include "core/result/version.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.hpp"
#include "core/result/result.hpp"

namespace gable::result {

FormatVersion format_version(const nlohmann::json& json) {
  const auto found = json.is_object() ? json.find("schema_version") : json.end();
  if (found == json.end()) throw Error("not a gable result: it has no schema_version");
  FormatVersion version{-1, -1};
  if (const auto* text = found->get_ptr<const std::string*>()) {
    const char* const end = text->data() + text->size();
    const auto first = std::from_chars(text->data(), end, version.major);
    const bool dot = first.ec == std::errc{} && first.ptr != end && *first.ptr == '.';
    const auto second = dot ? std::from_chars(first.ptr + 1, end, version.minor) : first;
    if (!dot || second.ec != std::errc{} || second.ptr != end) version.minor = -1;
  }
  if (version.major < 1 || version.minor < 0) throw Error("/schema_version: expected a version such as \"1.0\"");
  if (version.major > schema_major) {
    throw Error(fmt::format("result was written by format {}.{}, this gable reads up to {}.x", version.major,
                            version.minor, schema_major));
  }
  return version;
}

}  // namespace gable::result
