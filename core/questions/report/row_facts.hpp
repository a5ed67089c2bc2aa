#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/model/answer.hpp"
#include "core/result/result.hpp"

/// What is told of a row, each fact once: CSV and plot data have it under its key, text tables under its title.
namespace gable::report {

/// Stands at a figure that was_disturbed(), and at a share that was compared with memory round by round.
inline constexpr std::string_view disturbed_mark = "*", compared_mark = "~";

/// Nothing of "none", and of 0.
template <class Enum>
Answer::Value unless_none(Enum value) {
  return value == Enum::none ? Answer::Value() : Answer::Value(value);
}
inline Answer::Value unless_zero(int number) { return number == 0 ? Answer::Value() : Answer::Value(number); }

/// `measured`: else it is a vendor's figure, which has no status.
Answer::Facts facts_of(const Ceiling& row, bool measured = true);
/// Of a point of the result.
Answer::Facts facts_of(const Result& result, const Point& point);

/// What the vendors print as ceilings, as rows of the devices datasheet_name(), with nothing in them that only a
/// measurement has.
std::vector<Ceiling> datasheet_ceilings(std::span<const catalogue::Device> devices);

/// "fp32", "fp16->fp32" where it is summed up in another type; empty of a row without a type.
std::string type_text(const Ceiling& row);
/// Nothing is known of its roofs, here or from another file.
bool is_unplaced(const Result& result, const Point& point);

}  // namespace gable::report
