#include "backends/gpu/setup.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "core/row_item.hpp"

namespace gable::gpu {

Ceiling new_row(const Setup& setup, CeilingKind kind, std::string name, std::string unit) {
  return gable::new_row(setup.device, setup.request.scope, setup.threads(), kind, std::move(name), std::move(unit));
}

Curve new_curve(const Setup& setup, std::string name, std::string series) {
  Curve curve;
  curve.device = setup.device.id;
  curve.scope = setup.request.scope;
  curve.threads = setup.threads();
  curve.name = std::move(name);
  curve.series = std::move(series);
  return curve;
}

Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(const Setup&, Ceiling&)> fill) {
  auto conditions = setup->conditions;
  auto filled = [setup = std::move(setup), fill = std::move(fill)](Ceiling& measured) { fill(*setup, measured); };
  return gable::row_item(std::move(row), std::move(title), expected_s, std::move(filled), std::move(conditions));
}

Item curve_item(SharedSetup setup, Curve curve, std::string title, double expected_s,
                std::function<void(const Setup&, Curve&)> fill) {
  auto filled = [setup = std::move(setup), fill = std::move(fill)](Curve& measured) { fill(*setup, measured); };
  return gable::curve_item(std::move(curve), std::move(title), expected_s, std::move(filled));
}

void check_request(const DeviceInfo& device, const Request& request) {
  if (request.threads != 0) {
    throw Error(fmt::format("device {}: --threads chooses cores of a CPU; a GPU is measured as a whole", device.id));
  }
  if (request.scope != Scope::node) {
    throw Error(
        fmt::format("device {}: no scope '{}'; a GPU is measured as a whole", device.id, to_string(request.scope)));
  }
}

}  // namespace gable::gpu
