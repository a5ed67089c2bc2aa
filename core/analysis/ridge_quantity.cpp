#include "core/analysis/ridge_quantity.hpp"

#include <algorithm>

namespace gable::analysis {
namespace {

CeilingKey key_of(const ComputeRoof& roof, Scope scope) {
  CeilingKey key;
  key.kind = CeilingKind::compute;
  key.name = to_string(roof.unit);
  key.dtype = roof.dtype;
  key.accumulate = roof.accumulate;
  key.at = roof.at;
  key.scope = scope;
  return key;
}

/// The bandwidth that ridges() divides by: the fastest triad, or what a datasheet gives for every mix. Null where
/// neither is there, and other mixes stand in.
const BandwidthRoof* bandwidth_of(const Roofline& roofline) {
  for (const Access mix : {Access::triad, Access::none}) {
    const BandwidthRoof* fastest = nullptr;
    for (const BandwidthRoof& roof : roofline.bandwidth()) {
      if (roof.level != roofline.levels().back().name || roof.access != mix || roof.stores == Stores::non_temporal)
        continue;
      if (!fastest || roof.byte_per_s > fastest->byte_per_s) fastest = &roof;
    }
    if (fastest) return fastest;
  }
  return nullptr;
}

CeilingQuantity quantity_of(const Ridge& ridge, Scope scope, const Subject& subject, const BandwidthRoof* bandwidth) {
  CeilingQuantity quantity;
  quantity.key = key_of(ridge.roof, scope);
  const CeilingQuantity* peak = find(subject, quantity.key);
  if (peak) quantity.figure = peak->figure;
  quantity.figure.value = ridge.flop_per_byte;
  quantity.figure.unit = std::string(operation_name(ridge.roof.unit, ridge.roof.dtype)) + "/byte";
  quantity.figure.low.reset();
  quantity.figure.high.reset();
  const bool stated = bandwidth && bandwidth->access == Access::none;
  if (bandwidth) quantity.bandwidth = {bandwidth->label, bandwidth->byte_per_s, "byte/s", OperatingPoint::none, stated};
  if (peak && peak->figure.low && bandwidth && (stated || bandwidth->low < bandwidth->high)) {
    quantity.figure.low = *peak->figure.low / bandwidth->high;
    quantity.figure.high = *peak->figure.high / bandwidth->low;
  } else {
    quantity.figure.spread = Spread::none;
  }
  return quantity;
}

}  // namespace

std::vector<CeilingQuantity> ridge_quantities(const Subject& subject) {
  std::vector<Scope> scopes;
  for (const CeilingQuantity& ceiling : subject.ceilings) {
    if (std::ranges::count(scopes, ceiling.key.scope) == 0) scopes.push_back(ceiling.key.scope);
  }
  std::vector<CeilingQuantity> list;
  for (const Scope scope : scopes) {
    const Machine machine = machine_of(subject, scope);
    for (const Ridge& ridge : ridges(machine))
      list.push_back(quantity_of(ridge, scope, subject, bandwidth_of(machine.roofline)));
  }
  return list;
}

}  // namespace gable::analysis
