#include "core/questions/compare/subject.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/device/datasheet.hpp"
#include "core/device/datasheet_peaks.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// Adds `tail` to every name that several subjects have.
template <class Tail>
void tell_apart(std::span<Subject> subjects, Tail&& tail) {
  std::map<std::string, int> owners;
  for (const Subject& subject : subjects) ++owners[subject.name];
  for (Subject& subject : subjects) {
    if (owners[subject.name] > 1) subject.name += tail(subject);
  }
}

/// Rows beside the main ones (a size of a library's product) have a datasheet figure only where they were given one.
bool has_datasheet(const Ceiling& row) {
  if (row.kind != CeilingKind::compute && row.kind != CeilingKind::bandwidth) return false;
  return row.datasheet || row.kind == CeilingKind::bandwidth || row.variant.empty();
}

}  // namespace

void name_apart(std::span<Subject> subjects) {
  tell_apart(subjects, [](const Subject& subject) {
    if (subject.basis == Basis::datasheet) return std::string(" (datasheet)");
    return subject.host.empty() ? std::string{} : " on " + subject.host;
  });
  tell_apart(subjects, [](const Subject& subject) {
    return subject.runs.empty() ? "" : fmt::format(" ({})", fmt::join(mapped(subject.runs, &Run::source), ", "));
  });
  int number = 0;
  tell_apart(subjects, [&](const Subject& subject) {
    const bool known = !subject.runs.empty() && !subject.device.id.empty();
    return fmt::format(" {}{}", known ? subject.device.id + ':' : "", ++number);
  });
}

std::vector<Subject> subjects_of(std::span<const MachineModel> machines) {
  std::vector<Subject> subjects(machines.size());
  for (std::size_t i = 0; i < machines.size(); ++i) {
    subjects[i].name = machines[i].name;
    subjects[i].basis = machines[i].basis;
    if (machines[i].basis == Basis::measured) subjects[i].runs.emplace_back().source = machines[i].source;
  }
  name_apart(subjects);
  return subjects;
}

Subject subject_of(const catalogue::Device& entry) {
  const MachineModel machine = machine_of(entry);
  Subject subject;
  subject.name = machine.name;
  subject.basis = machine.basis;
  subject.source = machine.source;
  subject.tdp_w = entry.tdp_w;
  subject.device.id = subject.device.name = entry.name;
  subject.device.vendor = entry.vendor;
  subject.device.memory = {{entry.memory_type, entry.memory_byte, 1, 1, 0, entry.source}};
  const auto add = [&](Ceiling row, double value) {
    row.device = subject.device.id;
    row.value.value = row.value.median = value;
    row.datasheet = value;
    row.datasheet_source = entry.source;
    const CeilingKey key = key_of(row, subject.device);
    const auto known = std::ranges::find(subject.ceilings, key, &CeilingQuantity::key);
    if (known != subject.ceilings.end() && known->figure.value >= value) return;  // of packed and plain ones
    if (known != subject.ceilings.end()) subject.ceilings.erase(known);
    Figure figure{value, value, value, Spread::stated, 1, row.unit, true};
    subject.ceilings.push_back({key, row.name, "", std::move(figure), {row}});
  };
  for (const ComputeRoof& roof : machine.roofline.compute()) {
    Ceiling row;
    row.kind = CeilingKind::compute;
    row.name = to_string(roof.unit);
    row.dtype = roof.dtype;
    row.accumulate = roof.accumulate;
    row.unit = rate_unit(roof.unit, roof.dtype);
    add(std::move(row), roof.flop_per_s);
  }
  Ceiling memory;
  memory.kind = CeilingKind::bandwidth;
  memory.name = entry.memory_type;
  memory.unit = "byte/s";
  add(std::move(memory), entry.memory_byte_per_s);
  return subject;
}

MachineModel machine_of(const Subject& subject, Scope scope) {
  std::vector<Ceiling> rows;
  for (const CeilingQuantity& quantity : subject.ceilings) {
    Ceiling& row = rows.emplace_back(quantity.rows.front());
    row.implementation = quantity.implementation;
    set_figure(row.value, quantity.figure);
  }
  rows.insert(rows.end(), subject.suspects.begin(), subject.suspects.end());
  for (Ceiling& row : rows) row.device = subject.device.id;
  MachineModel machine;
  machine.name = subject.name;
  machine.basis = subject.basis;
  machine.source = subject.source;
  machine.roofline = gable::roofline_of(rows, subject.device, scope, subject.curves);
  if (!subject.device.memory.empty()) machine.memory_byte = total_bytes(subject.device.memory.back());
  return machine;
}

const CeilingQuantity* find(const Subject& subject, const CeilingKey& key) {
  return find_by(subject.ceilings, key, &CeilingQuantity::key);
}

void use_todays_catalogue(Result& result) {
  for (DeviceInfo& device : result.devices) {
    use_todays_peaks(device);
    for (Ceiling& row : result.ceilings) {
      if (row.device == device.id && row.status == Status::ok && has_datasheet(row)) add_datasheet(device, row);
    }
  }
}

}  // namespace gable::questions
