#include "benchmarks/needed_roofs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/model/traffic.hpp"
#include "core/row_item.hpp"

namespace gable::bench {
namespace {

/// By ascending fraction of reads.
constexpr Access mixes[] = {Access::write, Access::copy, Access::triad, Access::read};

/// The one or two measured mixes that a fraction of reads lies at or between.
std::vector<Access> enclosing(double fraction) {
  for (std::size_t i = 0; i + 1 < std::size(mixes); ++i) {
    if (fraction <= read_fraction(mixes[i])) return {mixes[i]};
    if (fraction < read_fraction(mixes[i + 1])) return {mixes[i], mixes[i + 1]};
  }
  return {Access::read};
}

class Rows {
 public:
  Rows(const DeviceInfo& device, int threads) : device_(device), threads_(threads) {}

  void add_compute(Unit unit, DType dtype, DType accumulate) {
    const bool special = unit == Unit::exp || unit == Unit::convert;
    Ceiling row = new_row(device_, Scope::node, threads_, CeilingKind::compute, std::string(to_string(unit)),
                          special || is_integer(dtype) ? "op/s" : "flop/s");
    row.dtype = dtype;
    if (!special) row.accumulate = accumulate;
    row.at = OperatingPoint::burst;
    add(std::move(row));
  }
  void add_stream(const std::string& level, Access access, Stores stores) {
    Ceiling row = new_row(device_, Scope::node, threads_, CeilingKind::bandwidth, level, "byte/s");
    row.access = access;
    row.stores = stores;
    row.at = OperatingPoint::sustained;
    add(std::move(row));
  }
  void add_launch() {
    Ceiling row = new_row(device_, Scope::node, threads_, CeilingKind::overhead, "kokkos_launch", "s");
    add(std::move(row));
  }
  std::vector<Ceiling> take() { return std::move(rows_); }

 private:
  void add(Ceiling row) {
    row.id = ceiling_id(row);
    if (std::ranges::find(rows_, row.id, &Ceiling::id) == rows_.end()) rows_.push_back(std::move(row));
  }

  const DeviceInfo& device_;
  int threads_;
  std::vector<Ceiling> rows_;
};

void add_compute(Rows& rows, const UnitWork& work, const Types& types) {
  if (!(work.operations > 0)) return;
  if (work.unit == Unit::exp) return rows.add_compute(work.unit, types.accumulate, types.accumulate);
  if (work.unit == Unit::convert) return rows.add_compute(work.unit, types.a, types.accumulate);
  if (work.unit != Unit::multiply_add) return rows.add_compute(work.unit, types.compute, types.accumulate);
  for (const Unit unit : {Unit::vector, Unit::matrix}) {
    rows.add_compute(unit, types.compute, types.accumulate);
    if (types.a == types.b) rows.add_compute(unit, types.a, types.accumulate);
  }
}

void add_streams(Rows& rows, const std::string& level, bool outermost, const Traffic& mix) {
  if (mix.in_place > 0) rows.add_stream(level, Access::update, Stores::ordinary);
  if (mix.in_place >= 1) return;
  const double fraction = mix.read_fraction_of_rest();
  for (const Access access : enclosing(fraction)) {
    rows.add_stream(level, access, access == Access::read ? Stores::none : Stores::ordinary);
  }
  if (!outermost) return;
  for (const Access access : enclosing(fraction)) {
    if (access != Access::read) rows.add_stream(level, access, Stores::non_temporal);
  }
}

}  // namespace

std::vector<Ceiling> needed_roofs(std::span<const Stage> stages, const Types& types, const DeviceInfo& device,
                                  int threads) {
  const auto levels = levels_of(device, Scope::node, threads);
  Rows rows(device, threads);
  for (const Stage& stage : stages) {
    for (const UnitWork& work : stage.work) add_compute(rows, work, types);
    const auto traffic = least_traffic(stage, levels, false);
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      if (traffic[i] > 0) add_streams(rows, levels[i].name, i + 1 == levels.size(), traffic_of(stage));
    }
  }
  rows.add_launch();
  return rows.take();
}

}  // namespace gable::bench
