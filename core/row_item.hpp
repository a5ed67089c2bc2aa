#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/backend.hpp"
#include "core/model/ceiling.hpp"

namespace gable {

/// A row of the opened device and scope, with nothing measured yet. unit: flop/s, op/s, byte/s or s.
Ceiling new_row(const DeviceInfo& device, Scope scope, int threads, CeilingKind kind, std::string name,
                std::string unit);
/// What a curve has along one of its axes: "bandwidth" in "byte/s".
struct Axis {
  std::string name, unit;
};
/// A curve of the opened device and scope, without a point yet.
Curve new_curve(const DeviceInfo& device, Scope scope, int threads, std::string name, std::string series, Axis x,
                Axis y);
/// Both with a backend's setup, which has the device, the request and the number of threads.
template <class Setup>
Ceiling new_row(const Setup& setup, CeilingKind kind, std::string name, std::string unit) {
  return new_row(setup.device, setup.request.scope, setup.threads(), kind, std::move(name), std::move(unit));
}
template <class Setup>
Curve new_curve(const Setup& setup, std::string name, std::string series, Axis x, Axis y) {
  return new_curve(setup.device, setup.request.scope, setup.threads(), std::move(name), std::move(series), std::move(x),
                   std::move(y));
}
/// Moves `more` behind `items`.
void append(std::vector<Item>& items, std::vector<Item> more);
/// "ceiling/<kind>/<name>/<dtype>/in_<accumulate>/<access>/<stores>/<at>/<implementation>/<variant>", empty parts left
/// out, and the accumulate type where it is that of uniform_types().
std::string ceiling_id(const Ceiling& row);
/// The id of the row with this variant in place of its own; an empty one: that of the main row.
std::string ceiling_id_with(Ceiling row, std::string variant);
/// "curve/<name>/<series>".
std::string curve_id(const Curve& curve);
/// "point/<op>/<implementation>/<storage type>/<params>". Cold runs end in "/cold", runs of several
/// launches in "/launches=100", graphs in "/graph".
std::string point_id(const Point& point);

/// The item of a row, whose id is made here. A row planned as not ok is yielded as it is; else `fill` measures into it,
/// `conditions` (may be empty) then says what `fill` did not say of the device.
Item row_item(Ceiling row, std::string title, double expected_s, std::function<void(Ceiling&)> fill,
              std::function<Conditions()> conditions);
/// The same for a curve.
Item curve_item(Curve curve, std::string title, double expected_s, std::function<void(Curve&)> fill);
/// The same with a backend's setup, which lives as long as the item.
template <class Setup, class Fill>
Item curve_item(std::shared_ptr<Setup> setup, Curve curve, std::string title, double expected_s, Fill fill) {
  return curve_item(std::move(curve), std::move(title), expected_s,
                    [setup = std::move(setup), fill = std::move(fill)](Curve& measured) { fill(*setup, measured); });
}
/// A copy of the item of a ceiling, which is measured beside it: its rows, planned and yielded, have this variant and
/// the id that follows. The title gets `words` behind it.
Item as_variant(const Item& item, const std::string& variant, std::string_view words);

}  // namespace gable
