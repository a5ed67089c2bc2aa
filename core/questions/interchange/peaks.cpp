#include "core/questions/interchange/peaks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/render/answer.hpp"
#include "core/sequence.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::interchange {
namespace {

bool is_peak(const Ceiling& row) {
  return row.kind == CeilingKind::compute || (row.kind == CeilingKind::bandwidth && row.unit == "byte/s");
}

/// A main row: imported ones have a variant where the tool has several of one kind.
bool is_main(const Ceiling& row) { return row.variant.empty() || row.imported; }

std::string interval_text(const Ceiling& row) {
  if (!row.value.ci_low || !row.value.ci_high) return "";
  return fmt::format("{} to {}", format_quantity(*row.value.ci_low, row.unit),
                     format_quantity(*row.value.ci_high, row.unit));
}

double rate_of_row(const Ceiling& row) { return row.value.value; }

template <render::AnswerForm form>
std::string as_answer(const Peaks& peaks) {
  return render::write(answer_of(peaks), form);
}

constexpr std::array forms{ExportForm{"reframe", reframe_text},
                           ExportForm{"prometheus", prometheus_text},
                           ExportForm{"tracelens", tracelens_text},
                           ExportForm{"llm-viewer", llm_viewer_text},
                           ExportForm{"ert", ert_text},
                           ExportForm{"csv", as_answer<render::AnswerForm::csv>},
                           ExportForm{"markdown", as_answer<render::AnswerForm::markdown>}};

}  // namespace

const ExportForm* find_export_form(std::string_view name) { return find_by(forms, name, &ExportForm::name); }

std::string export_form_names() { return fmt::format("{}", fmt::join(mapped(forms, &ExportForm::name), ", ")); }

std::string label_of_peak(const Ceiling& row) {
  std::string label = row.name;
  if (row.dtype) label += fmt::format(" {}", to_string(*row.dtype));
  if (row.accumulate && row.accumulate != row.dtype) label += fmt::format("->{}", to_string(*row.accumulate));
  if (row.access != Access::none) label += fmt::format(" {}", to_string(row.access));
  if (row.stores == Stores::non_temporal) label += " non_temporal";
  if (row.at != OperatingPoint::none) label += fmt::format(" {}", to_string(row.at));
  if (!row.variant.empty()) label += fmt::format(" {}", row.variant);
  return label;
}

std::string Peaks::dated() const { return fmt::format("{} {}", tool == "gable" ? "measured" : "imported", finished); }

bool accumulates_wide(const Ceiling& row) { return row.accumulate != DType::fp16 && row.accumulate != DType::bf16; }

const Ceiling* Peaks::compute(Unit unit, DType dtype, const std::vector<OperatingPoint>& order) const {
  for (const bool wide : {true, false}) {
    for (const OperatingPoint at : order) {
      const Ceiling* best = highest_of(rows, rate_of_row, [&](const Ceiling& row) {
        return row.kind == CeilingKind::compute && row.name == to_string(unit) && row.dtype == dtype && row.at == at &&
               accumulates_wide(row) == wide;
      });
      if (best) return best;
    }
  }
  return nullptr;
}

const Ceiling* Peaks::bandwidth(const std::string& level) const {
  for (const Access access : {Access::triad, Access::copy, Access::update, Access::read, Access::none}) {
    const Ceiling* best = highest_of(rows, rate_of_row, [&](const Ceiling& row) {
      return row.kind == CeilingKind::bandwidth && row.name == level && row.access == access &&
             row.stores != Stores::non_temporal;
    });
    if (best) return best;
  }
  return nullptr;
}

std::vector<std::string> Peaks::levels() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    const bool there = std::ranges::any_of(
        rows, [&](const Ceiling& row) { return row.kind == CeilingKind::bandwidth && row.name == name; });
    if (there && std::ranges::count(names, name) == 0) names.push_back(name);
  };
  for (const MemoryLevel& level : device.memory) add(level.name);
  for (const Ceiling& row : rows) {
    if (row.kind == CeilingKind::bandwidth) add(row.name);
  }
  return names;
}

std::string Peaks::main_memory() const {
  const std::string outermost = device.memory.empty() ? "DRAM" : device.memory.back().name;
  return bandwidth(outermost) ? outermost : "";
}

Peaks peaks_of(const Result& result, const std::string& device) {
  const auto found = std::ranges::find(result.devices, device, &DeviceInfo::id);
  if (found == result.devices.end()) throw Error(fmt::format("device '{}' is not in this result", device));
  Peaks peaks{.device = *found,
              .build = result.build.version,
              .finished = result.run.finished_at,
              .tool = "gable",
              .rows = {},
              .left_out = {}};
  const Scope scope = widest_scope(result, device);
  std::vector<Ceiling> of_others;
  for (const Ceiling& row : result.ceilings) {
    if (row.device != device || !is_peak(row) || !is_main(row)) continue;
    if (row.scope != scope && !row.imported) continue;
    if (row.status == Status::suspect)
      peaks.left_out.push_back(fmt::format("{} is left out: suspect, {}", row.id, row.reason));
    if (row.status == Status::ok) (row.imported ? of_others : peaks.rows).push_back(row);
  }
  if (peaks.rows.empty() && !of_others.empty()) {
    peaks.tool = of_others.front().imported->tool;
    peaks.rows = std::move(of_others);
  }
  if (peaks.rows.empty())
    throw Error(
        fmt::format("{} has no compute rate or bandwidth that is good: measure them with gable calibrate", device));
  return peaks;
}

Answer answer_of(const Peaks& peaks) {
  Answer answer{.title = fmt::format("Peaks of {} ({}), {}", peaks.device.name, peaks.device.id, peaks.dated()),
                .sections = {}};
  answer.add_table("peaks", "", table_of(peaks.rows, [&](const Ceiling& row) -> Answer::Facts {
                     return {
                         {"device", peaks.device.id},
                         {"kind", row.kind},
                         {"name", "name", row.name},
                         {"dtype", "type", row.dtype},
                         {"accumulate", "accumulates", row.accumulate},
                         {"access", "access", row.access == Access::none ? Answer::Value() : Answer::Value(row.access)},
                         {"stores", row.stores == Stores::none ? Answer::Value() : Answer::Value(row.stores)},
                         {"operating_point", "operating point",
                          row.at == OperatingPoint::none ? Answer::Value() : Answer::Value(row.at)},
                         {"value", row.value.value},
                         {"low", row.value.ci_low},
                         {"high", row.value.ci_high},
                         {"", "value", format_quantity(row.value.value, row.unit)},
                         {"", "interval of 95 %", interval_text(row)},
                         {"unit", row.unit},
                         {"scope", "scope", row.scope},
                         {"threads", row.threads},
                         {"implementation", "implementation", row.implementation},
                         {"variant", named(row.variant)},
                         {"id", row.id}};
                   }));
  return answer;
}

}  // namespace gable::interchange
