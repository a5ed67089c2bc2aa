#pragma once
#include <optional>
#include <string_view>

#include "core/enum_names.hpp"

namespace gable {

/// Outcome of one row. Everything but `ok` carries a reason.
enum class Status {
  ok,
  unsupported,  ///< the device, library or build cannot do it
  skipped,      ///< possible, but left out (does not fit, not asked for, disturbed)
  suspect,      ///< measured, but physically implausible
  error,        ///< the measurement itself failed
};

inline constexpr auto status_names = enum_names<Status>({{Status::ok, "ok"},
                                                         {Status::unsupported, "unsupported"},
                                                         {Status::skipped, "skipped"},
                                                         {Status::suspect, "suspect"},
                                                         {Status::error, "error"}});
inline std::string_view to_string(Status status) { return status_names.name(status); }
inline std::optional<Status> parse_status(std::string_view text) { return status_names.parse(text); }

}  // namespace gable
