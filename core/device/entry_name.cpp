#include "core/device/entry_name.hpp"

#include <cctype>

namespace gable::catalogue {

std::string lower(std::string_view name) {
  std::string result(name);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace gable::catalogue
