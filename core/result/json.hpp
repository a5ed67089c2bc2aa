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
/// The text of a result file: to_json(result), indented by one blank a level, and a line break. `take` is called with
/// each MiB of it, so that 10^5 rows of another tool never lie in memory as text all at once; what it was not called
/// with is returned. Without `take` that is all of it.
std::string to_text(const Result& result, const TakeText& take = {});

/// Throws Error naming the key that is missing or of the wrong type.
Result result_from_json(const nlohmann::json& json);

/// Throws Error, which says which version wrote it, unless the document is of the format of this build.
void check_format(const nlohmann::json& document);

}  // namespace gable::result
