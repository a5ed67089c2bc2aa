#include "core/status.hpp"

#include "core/enum_names.hpp"

namespace gable {
namespace {
constexpr auto names = enum_names<Status>({{Status::ok, "ok"},
                                           {Status::unsupported, "unsupported"},
                                           {Status::skipped, "skipped"},
                                           {Status::suspect, "suspect"},
                                           {Status::error, "error"}});
}

std::string_view to_string(Status status) { return names.name(status); }
std::optional<Status> parse_status(std::string_view text) { return names.parse(text); }

}  // namespace gable
