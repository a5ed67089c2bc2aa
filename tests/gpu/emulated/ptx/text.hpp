#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gable::emulated {

/// Without white space at both ends.
std::string trimmed(std::string_view text);

/// The parts of `text` between separators that stand in no bracket of any kind, each trimmed.
std::vector<std::string> split(std::string_view text, char separator);

/// Bits of a literal of PTX: whole numbers, 0f… (fp32) and 0d… (fp64). Nothing if `text` is no literal.
std::optional<std::uint64_t> literal(std::string_view text);

}  // namespace gable::emulated
