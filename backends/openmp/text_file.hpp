#pragma once
#include <optional>
#include <string>
#include <vector>

namespace gable::openmp {

/// First line of a small file of /proc or /sys without the blanks around it, or nothing if it cannot be read.
std::optional<std::string> first_line(const std::string& path);
/// That line as a number, or nothing if it does not begin with one.
std::optional<double> number_in(const std::string& path);
/// All lines; none if the file cannot be read.
std::vector<std::string> lines_of(const std::string& path);
/// Text without blanks at both ends.
std::string trimmed(const std::string& text);

}  // namespace gable::openmp
