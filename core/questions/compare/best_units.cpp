#include <algorithm>
#include <set>
#include <utility>

#include "core/questions/compare/comparison.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// Whether a row is a roof of arithmetic.
bool is_arithmetic(const CeilingKey& key) {
  const auto unit = key.kind == CeilingKind::compute ? parse_unit(key.name) : std::nullopt;
  return unit && key.dtype && key.variant.empty() && is_flop(*unit);
}

/// What a library reached is no roof: it counts where there is nothing else.
template <class Fits>
const CeilingQuantity* best_of(const Subject& subject, Scope scope, Fits&& fits) {
  const auto rank = [](const CeilingQuantity& one) {
    return std::pair(one.key.at != OperatingPoint::library, one.figure.value);
  };
  return highest_of(subject.ceilings, rank, [&](const CeilingQuantity& one) {
    return is_arithmetic(one.key) && one.key.scope == scope && fits(one.key);
  });
}

const CeilingQuantity* own_unit(const Subject& subject, DType dtype, Scope scope) {
  return best_of(subject, scope, [&](const CeilingKey& key) { return key.dtype == dtype; });
}

/// Where products of the type are counted: in its other flavour, else in a type that holds its values. Nothing where a
/// unit of its own was measured badly.
const CeilingQuantity* stand_in(const Subject& subject, DType dtype, Scope scope) {
  const auto measured_badly = [&](const Ceiling& row) {
    const CeilingKey key = key_of(row, subject.device);
    return key.dtype == dtype && key.scope == scope && is_arithmetic(key);
  };
  if (std::ranges::any_of(subject.suspects, measured_badly)) return nullptr;
  if (const auto* other = own_unit(subject, other_flavour(dtype), scope)) return other;
  return best_of(subject, scope, [&](const CeilingKey& key) {
    return key.at != OperatingPoint::library && holds(*key.dtype, dtype) &&
           key.accumulate == uniform_types(dtype).accumulate;
  });
}

}  // namespace

std::vector<CeilingRow> best_units(std::span<const Subject> subjects, const std::vector<DType>& dtypes) {
  std::set<Scope> scopes;
  for (const Subject& subject : subjects) {
    for (const CeilingQuantity& one : subject.ceilings) scopes.insert(one.key.scope);
  }
  std::vector<CeilingRow> rows;
  for (const Scope scope : scopes) {
    std::vector<std::optional<double>> memory;
    for (const Subject& subject : subjects) {
      const Roofline roofline = machine_of(subject, scope).roofline;
      memory.push_back(roofline.levels().empty() ? std::nullopt : roofline.byte_per_s(roofline.levels().back().name));
    }
    for (const DType dtype : all_dtypes) {
      CeilingRow row;
      row.key.kind = CeilingKind::compute;
      row.key.dtype = dtype;
      row.key.scope = scope;
      const auto has = [&](const Subject& subject) { return own_unit(subject, dtype, scope) != nullptr; };
      if (!wanted(row.key, dtypes) || std::ranges::none_of(subjects, has)) continue;
      const DType other = other_flavour(dtype);  // stands in the row of the first
      const bool is_there = std::ranges::any_of(
          rows, [&](const CeilingRow& one) { return one.key.dtype == other && one.key.scope == scope; });
      if (other != dtype && is_there) continue;
      for (std::size_t i = 0; i < subjects.size(); ++i) {
        auto& cell = row.cells.emplace_back();
        const CeilingQuantity* best = own_unit(subjects[i], dtype, scope);
        if (!best) best = stand_in(subjects[i], dtype, scope);
        if (!best) continue;
        const auto& baseline = row.cells.front();
        cell = cell_of(*best, i == 0 || !baseline || baseline->key == best->key);
        if (memory[i]) cell->ridge = best->figure.value / *memory[i];
        if (i > 0 && baseline) cell->ratio = ratio_of(baseline->figure, cell->figure);
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace gable::questions
