#include "core/report/datasheet_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/analysis/machine.hpp"
#include "core/model/units.hpp"
#include "core/text/text_table.hpp"

namespace gable::report {

std::string datasheet_name(const catalogue::Device& device) { return device.name + " (datasheet)"; }

std::string peaks_table(const catalogue::Device& device, int width) {
  TextTable table({{"unit"}, {"multiplies"}, {"accumulates"}, {"peak", true}, {"ridge", true}});
  for (const auto& [roof, ridge] : analysis::ridges(analysis::machine_of(device))) {
    table.add({std::string(to_string(roof.unit)), std::string(to_string(roof.dtype)),
               std::string(to_string(roof.accumulate)),
               format_quantity(roof.flop_per_s, rate_unit(roof.unit, roof.dtype)),
               fmt::format("{:.4g} {}/byte", ridge, operation_name(roof.unit, roof.dtype))});
  }
  return table.render(width);
}

std::string datasheet_text(const catalogue::Device& device, int width) {
  std::string text = wrap(datasheet_name(device) + ": its vendor's figures, not measured", width, 0) + '\n';
  text += peaks_table(device, width);
  text += wrap(fmt::format("memory: {} {}, {}", format_quantity(device.memory_byte, "byte"), device.memory_type,
                           format_quantity(device.memory_byte_per_s, "byte/s")),
               width, 0);
  text += wrap(fmt::format("source: {} ({})", device.source, device.confidence), width, 0);
  if (!device.unconfirmed.empty())
    text += wrap(fmt::format("unconfirmed: {}", fmt::join(device.unconfirmed, ", ")), width, 0);
  if (!device.note.empty()) text += wrap("note: " + device.note, width, 0);
  return text + '\n';
}

}  // namespace gable::report
