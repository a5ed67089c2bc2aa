#pragma once
#include <string>
#include <utility>

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
constexpr auto names_of(Status) {
  return names_up_to<Status::error>("ok", "unsupported", "skipped", "suspect", "error");
}

/// Sets the outcome of a ceiling, a curve or a point, and why it is so.
template <class OneRow>
void mark(OneRow& row, Status status, std::string reason) {
  row.status = status;
  row.reason = std::move(reason);
}

}  // namespace gable
