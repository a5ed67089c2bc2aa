#pragma once
#include <nlohmann/json_fwd.hpp>

namespace gable::result {

struct FormatVersion {
  int major{}, minor{};
};

/// schema_version of a document. Throws Error when it has none, or one whose major this build does not read.
FormatVersion format_version(const nlohmann::json& json);

}  // namespace gable::result
