#include "core/backend.hpp"

#include "core/enum_names.hpp"
#include "core/error.hpp"

namespace gable {
namespace {
constexpr auto names = enum_names<Mode>({{Mode::quick, "quick"}, {Mode::full, "full"}});
}

std::string_view to_string(Mode mode) { return names.name(mode); }
std::optional<Mode> parse_mode(std::string_view text) { return names.parse(text); }

std::unique_ptr<measure::Benchmark> Backend::graph(OperatorInstance&) { throw Error(refuses_graphs()); }

}  // namespace gable
