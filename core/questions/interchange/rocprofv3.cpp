#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// AMD rocprofv3: `*_counter_collection.csv`, a line a counter of a dispatch.
namespace gable::interchange {
namespace {

bool recognises(std::string_view text) {
  const auto header = text.substr(0, text.find('\n'));
  return header.find("Dispatch_Id") != header.npos && header.find("Counter_Name") != header.npos &&
         header.find("Counter_Value") != header.npos;
}

Contents read(const Source& source, const Target&) {
  const Sheet sheet(source.text);
  const std::size_t dispatch = sheet.column("Dispatch_Id"), agent = sheet.column("Agent_Id");
  const std::size_t name = sheet.column("Kernel_Name"), counter = sheet.column("Counter_Name");
  const std::size_t value = sheet.column("Counter_Value");
  const auto process = sheet.find("Process_Id"), start = sheet.find("Start_Timestamp"),
             end = sheet.find("End_Timestamp");
  if (!start || !end)
    throw Error(
        "columns 'Start_Timestamp' and 'End_Timestamp' are missing: a roofline needs times, which newer versions "
        "of rocprofv3 write");
  Numbers numbers;
  std::set<std::string> agents;
  for (const CsvRecord& row : sheet.rows()) {
    for (const std::size_t at : {value, *start, *end}) numbers.see(row.cells[at], row.line);
    if (agents.empty() || *agents.rbegin() != row.cells[agent]) agents.insert(row.cells[agent]);
  }
  if (agents.size() > 1)
    throw Error(fmt::format("dispatches of {} agents ({} and others): a result is of one device, keep the lines of one",
                            agents.size(), *agents.begin()));
  const auto number = [&](const CsvRecord& row, std::size_t at) {
    const auto found = numbers.value(row.cells[at], row.line);
    if (!found) throw Error(fmt::format("line {}, column {}: is empty", row.line, sheet.names()[at]));
    return *found;
  };
  Contents contents;
  std::unordered_map<std::string, int> counters_of_dispatch;
  std::string last_process, last_dispatch;
  int* last = nullptr;  // the count of the last line's dispatch: its lines stand together
  std::size_t at_kernel = 0;
  for (const CsvRecord& row : sheet.rows()) {
    const std::string_view of_process = process ? std::string_view(row.cells[*process]) : "";
    if (!last || row.cells[dispatch] != last_dispatch || of_process != last_process) {
      last_process = of_process;
      last_dispatch = row.cells[dispatch];
      last = &counters_of_dispatch[fmt::format("{}/{}", last_process, last_dispatch)];
    }
    if (contents.kernels.kernels().empty() || contents.kernels.kernels()[at_kernel].name != row.cells[name])
      at_kernel = contents.kernels.kernel_index(row.cells[name]);
    Kernel& kernel = contents.kernels.kernels()[at_kernel];
    if (++*last == 1) {
      const auto nanoseconds = numbers.difference(row.cells[*end], row.cells[*start], row.line);
      if (!nanoseconds) throw Error(fmt::format("line {}: a timestamp is empty", row.line));
      const double seconds = *nanoseconds * 1e-9;
      if (!(seconds > 0)) throw Error(fmt::format("line {}: the dispatch ends before it starts", row.line));
      kernel.calls += 1;
      kernel.launches += 1;
      kernel.seconds += seconds;
    }
    contents.kernels.add(kernel, contents.kernels.counter(row.cells[counter]), number(row, value));
  }
  for (const auto& [id, count] : counters_of_dispatch) {
    if (last && count > *last) throw Error("the last dispatch has fewer counters than others: the file was cut off");
  }
  return contents;
}

}  // namespace

const Format rocprofv3{"rocprofv3 counter collection", "rocprofv3", &recognises, &read, &work_of_amd_counters};

}  // namespace gable::interchange
