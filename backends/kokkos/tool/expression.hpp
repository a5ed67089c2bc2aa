#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gable::tool {

/// Value of a parameter; nothing where it is not known.
using Lookup = std::function<std::optional<double>(std::string_view name)>;

/// Value of an arithmetic expression: numbers, parameters, + - * / ^ (in the usual order, ^ from the right),
/// parentheses and log2(). It may be infinite or not a number, as arithmetic has it. Throws std::runtime_error saying
/// which parameter is not known, or what cannot be read.
double evaluate(std::string_view expression, const Lookup& parameters);

/// Parameters with their values, in the order of the text.
using Parameters = std::vector<std::pair<std::string, double>>;

/// "m=512,n=512" as parameters; nothing where the text is anything else.
std::optional<Parameters> parse_parameters(std::string_view text);

/// A name "gemm[m=512,n=512]" in its parts; without such brackets behind it, all of it is the name.
struct ParametrisedName {
  std::string_view name;
  Parameters parameters;
};
ParametrisedName split_name(std::string_view text);

/// The value of a parameter among them.
std::optional<double> find_parameter(const Parameters& parameters, std::string_view name);

}  // namespace gable::tool
