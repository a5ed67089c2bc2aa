#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "core/analysis/subject.hpp"

namespace gable::cli {

/// What an option says of the sides of a comparison: "0.4,3.2" in their order, or "NAME=3.2" by letter, name or part of
/// a name that fits one side only. One entry a side, nothing where it says nothing; empty without the option. `read`
/// turns a text into a figure. Throws Error naming the option.
std::vector<std::optional<double>> values_by_side(const po::variables_map& values, const std::string& option,
                                                  const std::vector<analysis::Subject>& subjects,
                                                  const std::function<double(std::string_view)>& read);

/// A number within [least, most]. Throws Error "--OPTION: 'TEXT' is no WHAT".
double number_within(std::string_view option, std::string_view text, double least, double most, std::string_view what);

}  // namespace gable::cli
