#include <fmt/format.h>

#include <optional>

#include "core/error.hpp"
#include "core/questions/interchange/dispatches.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// What rocprof and rocprofv2 print: a line a dispatch of "name(value)", of rocprof with its counters in lines of their
/// own below, "  name (value)".
namespace gable::interchange {
namespace {

bool begins_dispatch(std::string_view line) {
  return (line.starts_with("dispatch[") && line.find("kernel-name(\"") != line.npos) ||
         (line.starts_with("Dispatch_ID(") && line.find("Kernel_Name(\"") != line.npos);
}

/// Counters without the dispatches that they are of.
bool is_table_of_counters(std::string_view text) {
  return text.substr(0, 400).find("------ [000] ------") != text.npos;
}

bool recognises(std::string_view text) {
  return early_line_has(text,
                        {{"dispatch[", "kernel-name(\"", "gpu-id("}, {"Dispatch_ID(", "Kernel_Name(\"", "GPU_ID("}}) ||
         is_table_of_counters(text);
}

/// The value in the brackets behind a name, without quotes; empty where the line has no such name.
std::string_view value_of(std::string_view line, std::string_view name) {
  const std::string opened = fmt::format("{}(", name);
  auto at = line.find(opened);
  while (at != line.npos && at > 0 && line[at - 1] != ' ') at = line.find(opened, at + 1);
  if (at == line.npos) return {};
  std::string_view value = line.substr(at + opened.size());
  if (value.starts_with('"')) return value.substr(1, value.find("\")") - 1);
  return value.substr(0, value.find(')'));
}

std::string_view either(std::string_view line, std::string_view name, std::string_view other) {
  const auto value = value_of(line, name);
  return value.empty() ? value_of(line, other) : value;
}

/// Begin and end among the four times of rocprof: of the dispatch, its begin, its end, its completion.
std::pair<std::string_view, std::string_view> times_of(std::string_view line) {
  std::string_view times = value_of(line, "time");
  if (times.empty()) return {value_of(line, "Begin_Timestamp"), value_of(line, "End_Timestamp")};
  std::string_view parts[4];
  for (std::string_view& part : parts) {
    const auto end = std::min(times.find(','), times.size());
    part = trimmed(times.substr(0, end));
    times.remove_prefix(std::min(end + 1, times.size()));
  }
  return {parts[1], parts[2]};
}

/// Every "name(value)" behind Correlation_ID is a counter of rocprofv2.
template <class Take>
void for_each_counter(std::string_view line, Take&& take) {
  constexpr std::string_view last = "Correlation_ID(";
  auto at = line.find(last);
  if (at == line.npos) return;
  for (std::string_view rest = line.substr(at); (at = rest.find("), ")) != rest.npos;) {
    rest.remove_prefix(at + 3);
    const auto open = rest.find('(');
    if (open == rest.npos) return;
    take(rest.substr(0, open), rest.substr(open + 1, rest.find(')', open) - open - 1));
  }
}

void take_dispatch(std::string_view line, int number, const Numbers& numbers, Dispatches& dispatches) {
  if (!line.ends_with(')')) fail_at(number, "the dispatch has no end: the file was cut off");
  const auto [start, end] = times_of(line);
  DispatchLine dispatch{.process = either(line, "pid", "Process_ID"),
                        .gpu = either(line, "gpu-id", "GPU_ID"),
                        .id = value_of(line, "Dispatch_ID"),
                        .kernel = either(line, "kernel-name", "Kernel_Name"),
                        .start = start,
                        .end = end,
                        .work_items = numbers.value(either(line, "grd", "Grid_Size"), number).value_or(0),
                        .line = number};
  if (line.starts_with("dispatch[")) dispatch.id = line.substr(0, line.find(']'));
  if (const auto nanoseconds = start.empty() ? std::nullopt : numbers.difference(end, start, number))
    dispatch.seconds = *nanoseconds * 1e-9;
  dispatches.take(dispatch);
}

Contents read(const Source& source, const Target&) {
  if (is_table_of_counters(source.text))
    throw Error(
        "counters without kernels and times, as a sampler of rocprof's library prints them: call rocprof --timestamp "
        "on -i counters.txt, which writes results.csv");
  Numbers numbers;
  numbers.assume_points();
  Dispatches dispatches(Dispatches::OtherTimes::another_dispatch);
  bool any = false;
  const auto count = [&](std::string_view name, std::string_view value, int number) {
    if (!is_amd_counter(name) && name != "GRBM_COUNT") return;
    if (const auto counted = numbers.value(value, number)) dispatches.count(name, *counted, number);
  };
  for_each_line(source.text, [&](std::string_view line, int number) {
    const auto words = trimmed(line);
    const auto open = words.find(" (");
    if (begins_dispatch(line)) {
      any = true;
      take_dispatch(words, number, numbers, dispatches);
      for_each_counter(words, [&](std::string_view name, std::string_view value) { count(name, value, number); });
    } else if (any && line.starts_with("  ") && open != words.npos && words.ends_with(')')) {
      count(words.substr(0, open), words.substr(open + 2, words.size() - open - 3), number);
    }
  });
  return dispatches.contents();
}

}  // namespace

const Format rocprof_text{"text of rocprof or rocprofv2", "rocprof", &recognises, &read, &work_of_rocprof_counters};

}  // namespace gable::interchange
