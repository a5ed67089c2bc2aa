#include "backends/openmp/cpu_list.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <sstream>

namespace gable::openmp {

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> ids;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream range(part);
    int first{}, last{};
    if (!(range >> first)) break;
    last = first;
    if (char dash{}; range >> dash && (dash != '-' || !(range >> last))) break;
    for (int id = first; id <= last; ++id) ids.push_back(id);
  }
  return ids;
}

std::string cpu_list(const std::vector<int>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t end = i + 1;
    while (end < ids.size() && ids[end] == ids[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - i == 1 ? fmt::format("{}", ids[i]) : fmt::format("{}-{}", ids[i], ids[end - 1]);
    i = end;
  }
  return text.empty() ? "none" : text;
}

}  // namespace gable::openmp
