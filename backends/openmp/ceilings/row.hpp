#pragma once
#include <functional>
#include <string>

#include "backends/openmp/ceilings/setup.hpp"
#include "core/backend.hpp"
#include "core/model/ceiling.hpp"
#include "core/row_item.hpp"

namespace gable::openmp {

/// A row of this device and scope with its kind and name, everything else open.
Ceiling new_row(const Setup& setup, CeilingKind kind, std::string name, std::string unit);

/// gable::row_item with the setup's conditions, which also lives as long as the item.
Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(Setup&, Ceiling&)> fill);
/// The same for a curve.
Item curve_item(SharedSetup setup, Curve curve, std::string title, double expected_s,
                std::function<void(Setup&, Curve&)> fill);

}  // namespace gable::openmp
