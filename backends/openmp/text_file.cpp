#include "backends/openmp/text_file.hpp"

#include <charconv>
#include <fstream>

namespace gable::openmp {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return {};
  return trimmed(line);
}

std::optional<double> number_in(const std::string& path) {
  const auto line = first_line(path);
  if (!line) return {};
  double value{};
  const auto end = line->data() + line->size();
  if (std::from_chars(line->data(), end, value).ec != std::errc{}) return {};
  return value;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace gable::openmp
