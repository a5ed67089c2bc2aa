#pragma once
#include <functional>
#include <string>

#include "backends/openmp/ceilings/setup.hpp"
#include "core/backend.hpp"
#include "core/model/ceiling.hpp"

namespace gable::openmp {

/// "ceiling/<kind>/<name>/<dtype>/<access>/<stores>/<at>/<implementation>/<variant>", empty parts left out.
std::string ceiling_id(const Ceiling& row);
/// "curve/<name>/<series>".
std::string curve_id(const Curve& curve);

/// A row of this device and scope with its kind and name, everything else open.
Ceiling new_row(const Setup& setup, CeilingKind kind, std::string name, std::string unit);

/// The row's item. A row planned as not ok is yielded as it is; else `fill` measures into it, and a figure beyond
/// physics makes it suspect.
Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(Setup&, Ceiling&)> fill);
/// The same for a curve.
Item curve_item(SharedSetup setup, Curve curve, std::string title, double expected_s,
                std::function<void(Setup&, Curve&)> fill);

}  // namespace gable::openmp
