#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/result/result.hpp"
#include "core/result/row.hpp"

/// The only place that knows a key of the result format. Doubles round-trip; a non-finite number is written as null.
namespace gable::result {

nlohmann::json to_json(const Build& build);
nlohmann::json to_json(const DeviceInfo& device);
nlohmann::json to_json(const Row& row);  ///< {"row": "ceiling"|"curve"|"point", …}
nlohmann::json to_json(const Result& result);

/// Takes away the text that is there so far, leaving it empty.
using TakeText = std::function<void(std::string& text)>;
/// The text of a result file: to_json(result), indented by one blank a level, and a line break. It is made row by row,
/// so that rows of another tool, of which there may be 10^5, do not all lie in memory as text where `take` is there,
/// which is called with every MiB: then only what it did not take is returned.
std::string to_text(const Result& result, const TakeText& take = {});

/// Each throws Error naming the key that is missing or of the wrong type.
Build build_from_json(const nlohmann::json& json);
DeviceInfo device_from_json(const nlohmann::json& json);
Row row_from_json(const nlohmann::json& json);
Result result_from_json(const nlohmann::json& json);

struct FormatVersion {
  int major{}, minor{};
};

/// schema_version of a document. Throws Error when it has none, or one whose major this build does not read.
FormatVersion format_version(const nlohmann::json& json);

}  // namespace gable::result
