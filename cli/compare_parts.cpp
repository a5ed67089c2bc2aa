#include "cli/compare_parts.hpp"

namespace gable::cli {

using report::TextTable;

TextTable table_of(std::vector<TextTable::Column> first, std::size_t subjects, std::vector<TextTable::Column> last) {
  for (std::size_t i = 0; i < subjects; ++i) {
    first.push_back({report::letter(i), true, false});
    if (i > 0) first.push_back({report::letter(i) + " vs A", true, false});
  }
  first.insert(first.end(), last.begin(), last.end());
  return TextTable(std::move(first));
}

}  // namespace gable::cli
