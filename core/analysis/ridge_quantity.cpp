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

/// The bandwidth that ridges() divides by: the fastest triad, or what a datasheet gives for every mix.
const Figure* bandwidth_of(const Subject& subject, Scope scope, double byte_per_s) {
  for (const CeilingQuantity& quantity : subject.ceilings) {
    const CeilingKey& key = quantity.key;
    const bool memory = key.kind == CeilingKind::bandwidth && key.name == main_memory_role && key.scope == scope;
    const bool mix = key.access == Access::triad || key.access == Access::none;
    const bool close =
        quantity.figure.value > byte_per_s * (1 - 1e-9) && quantity.figure.value < byte_per_s * (1 + 1e-9);
    if (memory && mix && close) return &quantity.figure;
  }
  return nullptr;
}

CeilingQuantity quantity_of(const Ridge& ridge, Scope scope, const Subject& subject) {
  CeilingQuantity quantity;
  quantity.key = key_of(ridge.roof, scope);
  const CeilingQuantity* peak = find(subject, quantity.key);
  const Figure* bandwidth = bandwidth_of(subject, scope, ridge.roof.flop_per_s / ridge.flop_per_byte);
  if (peak) quantity.figure = peak->figure;
  quantity.figure.value = ridge.flop_per_byte;
  quantity.figure.unit = is_integer(ridge.roof.dtype) ? "op/byte" : "flop/byte";
  quantity.figure.low.reset();
  quantity.figure.high.reset();
  if (peak && peak->figure.low && bandwidth && bandwidth->low && *bandwidth->low > 0) {
    quantity.figure.low = *peak->figure.low / *bandwidth->high;
    quantity.figure.high = *peak->figure.high / *bandwidth->low;
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
    for (const Ridge& ridge : ridges(machine_of(subject, scope))) list.push_back(quantity_of(ridge, scope, subject));
  }
  return list;
}

}  // namespace gable::analysis
