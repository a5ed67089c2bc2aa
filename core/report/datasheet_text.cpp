#include "core/report/datasheet_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include "core/analysis/device_answer.hpp"
#include "core/analysis/machine_model.hpp"
#include "core/model/units.hpp"
#include "core/report/answer.hpp"
#include "core/report/document.hpp"
#include "core/text/text_table.hpp"

namespace gable::report {

std::string datasheet_name(const catalogue::Device& device) { return device.name + " (datasheet)"; }

std::string datasheet_text(const catalogue::Device& device, int width) {
  return text(document_of(analysis::datasheet_answer(device)), width) + '\n';
}

}  // namespace gable::report
