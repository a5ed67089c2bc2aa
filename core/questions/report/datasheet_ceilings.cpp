#include "core/questions/report/datasheet_ceilings.hpp"

#include <utility>

#include "core/questions/compare/subject.hpp"

namespace gable::report {

std::vector<Ceiling> datasheet_ceilings(const catalogue::Device& device) {
  std::vector<Ceiling> rows;
  for (const questions::CeilingQuantity& quantity : questions::subject_of(device).ceilings) {
    Ceiling row = quantity.rows.front();
    row.device = datasheet_name(device);
    row.implementation = "datasheet";
    row.value.median = 0;
    row.datasheet.reset();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gable::report
