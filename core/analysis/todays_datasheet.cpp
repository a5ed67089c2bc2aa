#include "core/analysis/todays_datasheet.hpp"

#include "core/device/datasheet.hpp"
#include "core/device/processor_theory.hpp"

namespace gable::analysis {
namespace {

/// Rows beside the main ones (a size of a library's product) have a datasheet figure only where they were given one.
bool has_datasheet(const Ceiling& row) {
  if (row.kind != CeilingKind::compute && row.kind != CeilingKind::bandwidth) return false;
  return row.datasheet || row.kind == CeilingKind::bandwidth || row.variant.empty();
}

}  // namespace

void use_todays_catalogue(Result& result) {
  for (DeviceInfo& device : result.devices) {
    use_todays_theory(device);
    for (Ceiling& row : result.ceilings) {
      if (row.device == device.id && row.status == Status::ok && has_datasheet(row)) add_datasheet(device, row);
    }
  }
}

}  // namespace gable::analysis
