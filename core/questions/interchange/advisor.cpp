#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// Intel Advisor: the roofline and the survey of its loops and functions as CSV, a line each. Its operations are of all
/// types together. The survey of the command line has names as its window shows them ("Self GFLOP", "28.970s"), the
/// Python interface has "self_gflop".
namespace gable::interchange {
namespace {

constexpr std::string_view loop = "loop_name", call_site = "function_call_sites_and_loops";
constexpr std::string_view shown_call_site = "Function Call Sites and Loops";
constexpr std::string_view part_of_a_loop = "[child]";
constexpr const char* operations = "self_gflop";
constexpr std::array columns_used = {operations, "self_memory_gb", "self_l2_gb", "self_l3_gb", "self_dram_gb"};

bool recognises(std::string_view text) {
  return early_line_has(text, {{"self_gflop", loop}, {"self_gflop", call_site}, {shown_call_site, "Self Time"}});
}

/// "Self L2 GB" as "self_l2_gb".
std::string plain_name(std::string_view shown) {
  std::string name(shown);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return c == ' ' ? '_' : static_cast<char>(std::tolower(c)); });
  return name;
}

/// The table from the line with the names of its columns on; lines above it are the tool's.
std::string_view table_in(std::string_view text) {
  const auto column = std::min(text.find(shown_call_site), text.find("self_gflop"));
  const auto begin = text.rfind('\n', column);
  return text.substr(begin == text.npos ? 0 : begin + 1);
}

/// "28.970s", "< 0.001s": without the unit.
std::string_view seconds_in(std::string_view text) {
  text = trimmed(text);
  if (text.ends_with('s')) text.remove_suffix(1);
  return text.starts_with('<') ? std::string_view() : text;
}

using NamedColumns = std::vector<std::pair<std::string, std::size_t>>;

/// The columns that count: caches and memory were not simulated where they are 0 in every row.
NamedColumns counted_columns(const Sheet& sheet, const NamedColumns& columns, const Numbers& numbers,
                             std::vector<std::string>& notes) {
  NamedColumns counted;
  std::string zeros;
  for (const auto& [column, at] : columns) {
    bool any = column == operations;
    for (const CsvRecord& row : sheet) any = any || numbers.value(row.cells[at], row.line).value_or(0) > 0;
    if (any)
      counted.emplace_back(column, at);
    else
      zeros += (zeros.empty() ? "" : ", ") + column;
  }
  if (!zeros.empty())
    say(notes, "{}: 0 in every row, so that they were not collected (a cache simulation counts them) and are unknown",
        zeros);
  return counted;
}

Contents read(const Source& source, const Target&) {
  Contents contents;
  const Sheet sheet(table_in(source.text));
  std::vector<std::string> names;
  for (const std::string& shown : sheet.names()) names.push_back(plain_name(shown));
  const auto either = [&](std::string_view first, std::string_view second) {
    const auto found = index_of(names, first);
    return found ? *found : column_of(names, second);
  };
  const std::size_t name = either(loop, call_site), time = either("self_elapsed_time", "self_time");
  NamedColumns columns;
  for (const char* column : columns_used) {
    if (const auto at = index_of(names, column)) columns.emplace_back(column, *at);
  }
  if (!index_of(names, operations))
    throw Error(
        "Advisor's survey without operations: collect them (advisor --collect=tripcounts --flop) and report again");
  Numbers numbers;
  for (const CsvRecord& row : sheet) {
    numbers.see(seconds_in(row.cells[time]), row.line);
    for (const auto& [column, at] : columns) numbers.see(row.cells[at], row.line);
  }
  columns = counted_columns(sheet, columns, numbers, contents.notes);
  int without_time = 0, parts = 0;
  for (const CsvRecord& row : sheet) {
    if (trimmed(row.cells[name]).starts_with(part_of_a_loop)) {  // which is in the loop's own row
      ++parts;
      continue;
    }
    const auto seconds = numbers.value(seconds_in(row.cells[time]), row.line);
    if (!seconds || !(*seconds > 0)) {
      ++without_time;
      continue;
    }
    Kernel& kernel = contents.kernels.kernel(trimmed(row.cells[name]));
    kernel.calls = 1;  // the report has sums over all trips, not how often a loop was entered
    kernel.seconds += *seconds;
    for (const auto& [column, at] : columns) {
      const auto value = numbers.value(row.cells[at], row.line);
      if (value) contents.kernels.add(kernel, column, *value * 1e9);
    }
  }
  if (without_time > 0) say(contents.notes, "{} loops without a time of their own were left out", without_time);
  if (parts > 0) say(contents.notes, "{} rows ({}) are parts of their loops and left out", parts, part_of_a_loop);
  if (contents.kernels.kernels().empty()) throw Error("no loop has a time");
  return contents;
}

KernelWork work_of(Counted& counted, const Target& target) {
  KernelWork work;
  if (const auto bytes = counted.find("self_dram_gb"))
    work.bytes_read = *bytes;
  else
    work.unknown.emplace_back("bytes of the main memory");
  for (const auto& [column, level] :
       {std::pair{"self_memory_gb", "L1"}, std::pair{"self_l2_gb", "L2"}, std::pair{"self_l3_gb", "L3"}}) {
    if (const auto bytes = counted.find(column)) work.inner.push_back({level, *bytes});
  }
  if (const auto flops = counted.find("self_gflop"))
    add_untyped_operations(work, counted, target, *flops);
  else
    work.unknown.emplace_back("operations");
  return work;
}

}  // namespace

const Format advisor{"Intel Advisor CSV", "advisor", &recognises, &read, &work_of, WrittenAs::table, NamesOf::regions};

}  // namespace gable::interchange
