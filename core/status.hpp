#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gable {

/// Outcome of one row. Everything but `ok` carries a reason.
enum class Status {
  ok,
  unsupported,  ///< the device, library or build cannot do it
  skipped,      ///< possible, but left out (does not fit, not asked for, disturbed)
  suspect,      ///< measured, but physically implausible
  error,        ///< the measurement itself failed
};

std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view text);

}  // namespace gable
