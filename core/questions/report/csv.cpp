#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/point.hpp"
#include "core/questions/report/datasheet_ceilings.hpp"
#include "core/questions/report/report.hpp"
#include "core/text/csv_table.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::report {
namespace {

template <class T>
std::string name(const std::optional<T>& value) {
  return value ? std::string(to_string(*value)) : std::string{};
}

/// "none" becomes an empty cell.
template <class T>
std::string name_unless_none(T value) {
  return value == T::none ? std::string{} : std::string(to_string(value));
}

std::string estimator(const Estimate& estimate) {
  return estimate.blocks > 0 ? csv_cell(to_string(estimate.estimator)) : "";
}
std::string disturbed(const Estimate& estimate) {
  return estimate.blocks > 0 ? std::to_string(estimate.seen.disturbed_blocks) : "";
}

/// In how many rounds of the run it was measured.
std::string rounds(const Estimate& estimate) {
  const std::set<int> different(estimate.rounds.begin(), estimate.rounds.end());
  return different.empty() ? "" : std::to_string(different.size());
}

/// A figure that nobody measured has no status.
std::string ceiling_line(const Ceiling& row, bool measured = true) {
  return csv_line({csv_cell(row.device),
                   csv_cell(to_string(row.scope)),
                   row.threads > 0 ? std::to_string(row.threads) : "",
                   csv_cell(to_string(row.kind)),
                   csv_cell(row.name),
                   name(row.dtype),
                   name(row.accumulate),
                   name_unless_none(row.access),
                   name_unless_none(row.at),
                   csv_cell(row.implementation),
                   csv_cell(row.data_pattern),
                   csv_cell(figure(row.value.value)),
                   csv_cell(figure(row.value.median)),
                   csv_cell(row.value.ci_low),
                   csv_cell(row.value.ci_high),
                   row.value.blocks > 0 ? std::to_string(row.value.blocks) : "",
                   csv_cell(row.unit),
                   csv_cell(row.conditions.clock_hz),
                   csv_cell(percent_of_datasheet(row)),
                   csv_cell(percent_at_clock(row)),
                   measured ? csv_cell(to_string(row.status)) : "",
                   csv_cell(row.reason),
                   name_unless_none(row.stores),
                   csv_cell(row.variant),
                   csv_cell(row.with_write_allocate),
                   csv_cell(row.id),
                   estimator(row.value),
                   disturbed(row.value),
                   rounds(row.value)});
}

std::optional<double> fraction_of_datasheet(const Result& result, const Point& point) {
  const auto bound = datasheet_bound(result, point);
  return bound ? std::optional{bound->fraction} : std::nullopt;
}

std::string point_line(const Result& result, const Point& point) {
  return csv_line({csv_cell(point.device),
                   csv_cell(to_string(point.scope)),
                   csv_cell(point.op),
                   csv_cell(point.implementation),
                   csv_cell(to_string(point.types.a)),
                   csv_cell(to_string(point.types.accumulate)),
                   csv_cell(point.params),
                   csv_cell(flops_of(point)),
                   csv_cell(bytes_of(point)),
                   csv_cell(intensity_of(point)),
                   csv_cell(figure(point.time.value)),
                   csv_cell(flop_per_s(point)),
                   csv_cell(byte_per_s(point)),
                   name(point.regime),
                   csv_cell(point.limit),
                   csv_cell(point.fraction_of_limit),
                   csv_cell(to_string(point.status)),
                   csv_cell(point.reason),
                   csv_cell(point.time.ci_low),
                   csv_cell(point.time.ci_high),
                   csv_cell(point.id),
                   point.cold ? "true" : "false",
                   estimator(point.time),
                   disturbed(point.time),
                   csv_cell(point.launches),
                   point.graph ? "true" : "false",
                   csv_cell(point.count),
                   csv_cell(point.label),
                   csv_cell(fraction_of_datasheet(result, point)),
                   rounds(point.time),
                   csv_cell(point.compared_rounds)});
}

constexpr std::string_view ceiling_header =
    "device,scope,threads,kind,name,dtype,accumulate,access,operating_point,implementation,data_pattern,value,median,"
    "ci_low,ci_high,blocks,unit,clock_hz,percent_of_datasheet,percent_at_clock,status,reason,stores,variant,"
    "with_write_allocate,id,estimator,disturbed_blocks,rounds\n";
constexpr std::string_view point_header =
    "device,scope,operator,implementation,dtype,accumulate,params,flops,bytes,intensity,time_s,flop_per_s,byte_per_s,"
    "regime,limit,fraction_of_limit,status,reason,ci_low_s,ci_high_s,id,cold,estimator,disturbed_blocks,"
    "launches,graph,count,label,fraction_of_datasheet,rounds,compared_rounds\n";

}  // namespace

std::string csv(const Result& result, CsvTable table, std::span<const catalogue::Device> datasheets) {
  std::string text(table == CsvTable::ceilings ? ceiling_header : point_header);
  if (table == CsvTable::ceilings) {
    for (const Ceiling& row : result.ceilings) text += ceiling_line(row);
    for (const catalogue::Device& device : datasheets) {
      for (const Ceiling& row : datasheet_ceilings(device)) text += ceiling_line(row, false);
    }
  } else {
    for (const Point& point : result.points) text += point_line(result, point);
  }
  return text;
}

}  // namespace gable::report
