#include "core/text/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace gable {

std::string set_variables(const std::vector<std::string>& names) {
  std::vector<std::string> settings;
  for (const std::string& name : names) {
    if (const char* value = std::getenv(name.c_str())) settings.push_back(fmt::format("{}={}", name, value));
  }
  return fmt::format("{}", fmt::join(settings, " and "));
}

std::string remark_on_timing(const std::vector<std::string>& names) {
  const std::string settings = set_variables(names);
  return settings.empty() ? "" : settings + " may change every time that is measured";
}

}  // namespace gable
