#include "backends/openmp/ceilings/row.hpp"

#include <utility>

namespace gable::openmp {

Ceiling new_row(const Setup& setup, CeilingKind kind, std::string name, std::string unit) {
  return gable::new_row(setup.device, setup.request.scope, setup.threads(), kind, std::move(name), std::move(unit));
}

Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(Setup&, Ceiling&)> fill) {
  auto conditions = setup->conditions;
  auto filled = [setup = std::move(setup), fill = std::move(fill)](Ceiling& measured) { fill(*setup, measured); };
  return gable::row_item(std::move(row), std::move(title), expected_s, std::move(filled), std::move(conditions));
}

Item curve_item(SharedSetup setup, Curve curve, std::string title, double expected_s,
                std::function<void(Setup&, Curve&)> fill) {
  curve.device = setup->device.id;
  curve.scope = setup->request.scope;
  curve.threads = setup->threads();
  auto filled = [setup = std::move(setup), fill = std::move(fill)](Curve& measured) { fill(*setup, measured); };
  return gable::curve_item(std::move(curve), std::move(title), expected_s, std::move(filled));
}

}  // namespace gable::openmp
