#include "cli/compare_parts.hpp"

#include <fmt/format.h>

namespace gable::cli {

std::string titled(std::string_view title, const TextTable& table, int width) {
  return table.empty() ? "" : fmt::format("\n{}\n{}", title, table.render(width));
}

}  // namespace gable::cli
