#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/questions/interchange/dispatches.hpp"
#include "core/questions/interchange/sheet.hpp"

/// Tables of AMD's profilers: rocprof, the first one, which Omniperf 1 calls; rocprofv2; rocprofv3; rocprof-compute,
/// formerly Omniperf, with either of its two forms of pmc_perf.csv. Columns have the names of any version:
/// "Kernel_Name" or "KernelName", "Start_Timestamp" or "BeginNs".
namespace gable::interchange {
namespace {

constexpr double nano = 1e-9;

/// The columns of a line that tell which dispatch it is of. Those that a tool does not write are empty.
class DispatchColumns {
 public:
  explicit DispatchColumns(const Sheet& sheet)
      : name_(any_of(sheet, {"Kernel_Name", "KernelName"})),
        process_(any_of(sheet, {"Guid", "Process_Id", "PID", "pid"})),
        gpu_(any_of(sheet, {"Agent_Id", "GPU_ID", "gpu-id"})),
        id_(any_of(sheet, {"Dispatch_Id", "Dispatch_ID", "Index", "Correlation_Id"})),
        start_(any_of(sheet, {"Start_Timestamp", "BeginNs"})),
        end_(any_of(sheet, {"End_Timestamp", "EndNs"})),
        duration_(any_of(sheet, {"DurationNs", "Duration_Ns"})),
        dispatched_(sheet.find("DispatchNs")),
        kind_(sheet.find("Kind")),
        grid_{any_of(sheet, {"Grid_Size", "grd", "Grid_Size_X"}), sheet.find("Grid_Size_Y"),
              sheet.find("Grid_Size_Z")} {
    if (!name_) throw Error("column 'Kernel_Name' is missing");
  }

  /// Of a kernel's dispatch; not of copies, and not the names of the columns, which files that were put behind one
  /// another have once more.
  bool is_dispatch(const CsvRecord& row, const Sheet& sheet) const {
    return row.cells[*name_] != sheet.names()[*name_] && (!kind_ || row.cells[*kind_] == "KERNEL_DISPATCH");
  }
  void see(Numbers& numbers, const CsvRecord& row) const {
    for (const auto& at : {start_, end_, duration_, dispatched_}) {
      if (at) numbers.see(row.cells[*at], row.line);
    }
  }
  DispatchLine line(const CsvRecord& row, const Numbers& numbers) const {
    const auto text = [&](const std::optional<std::size_t>& at) {
      return at ? trimmed(row.cells[*at]) : std::string_view();
    };
    DispatchLine line{.process = text(process_),
                      .gpu = text(gpu_),
                      .id = text(id_),
                      .kernel = row.cells[*name_],
                      .start = text(start_),
                      .end = text(end_),
                      .work_items = 1,
                      .line = row.line};
    if (start_ && end_ && !line.start.empty() && !line.end.empty()) {
      const auto nanoseconds = numbers.difference(line.end, line.start, row.line);
      line.before_dispatch = is_before_dispatch(line, row, numbers);
      if (nanoseconds && *nanoseconds > 0 && !line.before_dispatch) line.seconds = nano * *nanoseconds;
    }
    if (!line.seconds && !line.before_dispatch && duration_) {
      if (const auto nanoseconds = numbers.value(row.cells[*duration_], row.line)) line.seconds = nano * *nanoseconds;
    }
    for (const auto& at : grid_) {
      if (at) line.work_items *= numbers.value(row.cells[*at], row.line).value_or(0);
    }
    if (!grid_[0]) line.work_items = 0;
    return line;
  }
  /// Throws Error for a last line without an end whose last cell may have lost digits. A timestamp has lost none where
  /// it is as long as the one before it; a figure where it has the six decimals that the tools write.
  void refuse_cut_cell(std::string_view text, const CsvRecord& last, bool is_figure) const {
    if (text.ends_with('\n') || text.ends_with('"') || last.cells.empty()) return;
    const std::size_t at = last.cells.size() - 1;
    const std::string& cell = last.cells.back();
    constexpr std::size_t decimals = 6;
    const auto point = cell.find('.');
    bool whole = point != cell.npos && cell.size() - point > decimals;
    if (end_ == at && start_) whole = cell.size() == last.cells[*start_].size();
    if (whole || (!is_figure && end_ != at && duration_ != at)) return;
    fail_at(last.line,
            "the last line has no end: the file was cut off (a text that is complete ends with a line break)");
  }

 private:
  /// Omniperf 1 put the begin of one run and the end of another into some files. Where both are of another run than
  /// DispatchNs, they are before or behind it together.
  bool is_before_dispatch(const DispatchLine& line, const CsvRecord& row, const Numbers& numbers) const {
    if (!dispatched_) return false;
    const auto begins = numbers.difference(line.start, row.cells[*dispatched_], row.line);
    const auto ends = numbers.difference(line.end, row.cells[*dispatched_], row.line);
    return begins && ends && *begins < 0 && *ends > 0;
  }
  static std::optional<std::size_t> any_of(const Sheet& sheet, std::initializer_list<std::string_view> columns) {
    for (const std::string_view column : columns) {
      if (const auto found = sheet.find(column)) return found;
    }
    return {};
  }

  std::optional<std::size_t> name_, process_, gpu_, id_, start_, end_, duration_, dispatched_, kind_;
  std::array<std::optional<std::size_t>, 3> grid_;
};

/// The numbers of some columns of all lines. The tools write points whatever the locale, so that "117.344" is no
/// number in thousands where no comma stands in any.
template <class See>
Numbers numbers_of(const Sheet& sheet, See&& see) {
  Numbers numbers;
  for (const CsvRecord& row : sheet) see(numbers, row);
  numbers.assume_points();
  return numbers;
}

/// Where a line has the figure of a counter, and its name: in a column, or above the figures.
struct CounterColumn {
  std::size_t value;
  std::optional<std::size_t> name{};
};

Contents read_rows(std::string_view text, const Sheet& sheet, const std::vector<CounterColumn>& counters,
                   Dispatches::OtherTimes meaning) {
  const DispatchColumns columns(sheet);
  const Numbers numbers = numbers_of(sheet, [&](Numbers& seen, const CsvRecord& row) {
    if (!columns.is_dispatch(row, sheet)) return;
    columns.see(seen, row);
    for (const CounterColumn& one : counters) seen.see(row.cells[one.value], row.line);
  });
  Dispatches dispatches(meaning);
  CsvRecord last;
  for (const CsvRecord& row : sheet) {
    if (!columns.is_dispatch(row, sheet)) continue;
    dispatches.take(columns.line(row, numbers));
    for (const CounterColumn& one : counters) {
      if (const auto counted = numbers.value(row.cells[one.value], row.line))
        dispatches.count(one.name ? trimmed(row.cells[*one.name]) : sheet.names()[one.value], *counted, row.line);
    }
    last = row;
  }
  columns.refuse_cut_cell(text, last, !counters.empty() && counters.back().value + 1 == sheet.names().size());
  if (meaning == Dispatches::OtherTimes::another_pass) dispatches.refuse_cut_end();
  return dispatches.contents();
}

/// Whether the first line names these columns, as whole cells.
bool names_columns(std::string_view text, std::initializer_list<std::string_view> columns) {
  CsvRecord names;
  try {
    if (!CsvReader(first_line(text)).next(names)) return false;
  } catch (const Error&) {
    return false;
  }
  return std::ranges::all_of(columns, [&](std::string_view column) {
    return std::ranges::any_of(names.cells, [&](const std::string& name) { return trimmed(name) == column; });
  });
}

/// A line a dispatch: with a column a counter, or with times alone.
Contents read_dispatch_rows(std::string_view text) {
  const Sheet sheet(text);
  std::vector<CounterColumn> counters;
  for (std::size_t i = 0; i < sheet.names().size(); ++i) {
    if (is_amd_counter(sheet.names()[i])) counters.push_back({i});
  }
  return read_rows(text, sheet, counters, Dispatches::OtherTimes::another_dispatch);
}

/// A line a counter of a dispatch.
Contents read_counter_rows(std::string_view text) {
  const Sheet sheet(text);
  return read_rows(text, sheet, {{sheet.column("Counter_Value"), sheet.column("Counter_Name")}},
                   Dispatches::OtherTimes::another_pass);
}

/// A line a kernel: calls and their time together. Rows of calls on the host are left out, with a note.
Contents read_kernel_stats(std::string_view text) {
  const Sheet sheet(text, "Name");
  const std::size_t name = sheet.column("Name"), calls = sheet.column("Calls");
  const std::size_t total = sheet.column("TotalDurationNs");
  const auto average = sheet.find("AverageNs"), shortest = sheet.find("MinNs"), longest = sheet.find("MaxNs");
  const Numbers numbers = numbers_of(sheet, [&](Numbers& seen, const CsvRecord& row) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i != name) seen.see(row.cells[i], row.line);
    }
  });
  Contents contents;
  std::set<std::vector<std::string>> seen;
  std::size_t host_calls = 0, repeated = 0;
  const std::size_t time = contents.kernels.counter(time_of_dispatches);
  for (const CsvRecord& row : sheet) {
    if (row.cells[name] == sheet.names()[name]) continue;
    if (is_host_call(row.cells[name])) {
      ++host_calls;
      continue;
    }
    if (!seen.insert(row.cells).second) {
      ++repeated;
      continue;
    }
    const auto count = numbers.value(row.cells[calls], row.line), sum = numbers.value(row.cells[total], row.line);
    if (!count || !sum || !(*count >= 1) || !(*sum > 0)) continue;
    const auto mean = average ? numbers.value(row.cells[*average], row.line) : std::nullopt;
    constexpr double rounding = 1e-3;
    if (mean && std::abs(*mean * *count - *sum) > *count + rounding * *sum)
      fail_at(row.line, "{:g} calls of {:g} ns are not {:g} ns: the line is damaged", *count, *mean, *sum);
    Kernel& kernel = contents.kernels.kernel(without_descriptor(row.cells[name]));
    const auto least = shortest ? numbers.value(row.cells[*shortest], row.line) : std::nullopt;
    const auto most = longest ? numbers.value(row.cells[*longest], row.line) : std::nullopt;
    kernel.add_calls(*count, nano * *sum, nano * least.value_or(0), nano * most.value_or(0));
    contents.kernels.add(kernel, time, nano * *sum);
  }
  if (contents.kernels.kernels().empty())
    throw Error(host_calls > 0
                    ? "times of calls on the host, of copies or of all kernels together, not of each kernel: "
                      "the file beside it with the name results.stats.csv or …_kernel_stats.csv has those"
                    : "no kernel has calls and a time");
  if (host_calls > 0) say(contents.notes, "{} calls on the host are left out", host_calls);
  if (repeated > 0) say(contents.notes, "{} lines stand twice in the file: each was counted once", repeated);
  return contents;
}

bool is_counter_rows(std::string_view text) { return names_columns(text, {"Counter_Name", "Counter_Value"}); }
bool is_kernel_stats(std::string_view text) { return names_columns(text, {"Name", "Calls", "TotalDurationNs"}); }

/// In whichever form it has its lines.
Contents read_table(const Source& source, const Target&) {
  if (source.name.ends_with("marker_api_stats.csv"))  // names of the user's, as kernels have
    throw Error("ranges of roctx on the host: import …_kernel_stats.csv, which stands beside it");
  if (is_counter_rows(source.text)) return read_counter_rows(source.text);
  return is_kernel_stats(source.text) ? read_kernel_stats(source.text) : read_dispatch_rows(source.text);
}

bool recognises_rocprof(std::string_view text) {
  return names_columns(text, {"Index", "KernelName"}) || (is_kernel_stats(text) && !names_columns(text, {"MinNs"}));
}

/// A line a dispatch with the names that rocprofv2 gave the columns, which rocprof-compute kept.
bool has_names_of_v2(std::string_view text) {
  return names_columns(text, {"Dispatch_ID", "Kernel_Name", "GPU_ID"}) &&
         (names_columns(text, {"End_Timestamp"}) || first_line(text).find("_sum") != text.npos ||
          first_line(text).find(",SQ_") != text.npos);
}

bool recognises_v2(std::string_view text) { return has_names_of_v2(text) && names_columns(text, {"Queue_ID", "PID"}); }

bool recognises_compute(std::string_view text) {
  return (is_counter_rows(text) && names_columns(text, {"GPU_ID"})) || (has_names_of_v2(text) && !recognises_v2(text));
}

bool recognises_v3(std::string_view text) {
  return (is_counter_rows(text) && names_columns(text, {"Dispatch_Id"})) ||
         names_columns(text, {"Kernel_Name", "Start_Timestamp", "End_Timestamp", "Agent_Id"}) ||
         (is_kernel_stats(text) && names_columns(text, {"MinNs"}));
}

/// Files that these tools write beside those with kernels.
struct Neighbour {
  std::array<std::string_view, 2> columns;  ///< the second may be empty
  std::string_view what;
};
constexpr std::array neighbours = {
    Neighbour{{"Domain", "Function"},
              "calls on the host that rocprofv3 traced: import …_kernel_trace.csv, …_kernel_stats.csv or "
              "…_counter_collection.csv, which have kernels"},
    Neighbour{{"Kind", "Direction"}, "copies that rocprofv3 traced: import …_kernel_trace.csv, which has kernels"},
    Neighbour{{"Sample_Timestamp", "Exec_Mask"},
              "samples of program counters by rocprofv3, which have no times of kernels: import …_kernel_trace.csv"},
    Neighbour{{"Kind", "Start_Timestamp"}, "a trace of rocprofv3 without kernels: import …_kernel_trace.csv"},
    Neighbour{{"Node_Id", "Logical_Node_Id"},
              "a list of the processors that rocprofv3 found: import …_kernel_trace.csv, which has kernels"},
    Neighbour{{"workload_name", "gpu_arch"},
              "what rocprof-compute or Omniperf found out about the machine: import pmc_perf.csv and roofline.csv, "
              "which stand beside it"},
    Neighbour{{"workload_name", "gpu_soc"},
              "what Omniperf found out about the machine: import pmc_perf.csv and roofline.csv, which stand beside it"},
    Neighbour{{"Dispatch_ID", "Kernel_Name"},
              "a list of kernels by rocprof-compute or Omniperf without times and counters: import pmc_perf.csv, which "
              "stands beside it"},
};

const Neighbour* neighbour(std::string_view text) {
  for (const Neighbour& known : neighbours) {
    if (names_columns(text, {known.columns[0], known.columns[1]})) return &known;
  }
  return nullptr;
}

/// The trace for a browser: rocprof's own, not that of other tools.
bool is_browser_trace(std::string_view text) {
  constexpr std::size_t enough = 4000;
  const auto begin = text.substr(0, enough);
  const auto has = [&](std::string_view part) { return begin.find(part) != begin.npos; };
  return has("\"traceEvents\"") &&
         (text.starts_with("{ \"traceEvents\":[{}") || has("CPU HIP API") || has("CPU HSA API") ||
          has("HSASystemAttributes") || (has("\"BeginNs\"") && has("\"dev-id\"")));
}

/// A line a dispatch as rocprof writes it, cut out of its file.
bool is_headless(std::string_view text) {
  const auto line = first_line(text);
  return line.find(" [clone .kd]\",") != line.npos && line.find(",0x") != line.npos;
}

bool recognises_no_kernels(std::string_view text) {
  return neighbour(text) || is_headless(text) || early_line_has(text, {{"ROCPROFV3", "SUMMARY:"}});
}

Contents refuse(const Source& source, const Target&) {
  if (const Neighbour* const known = neighbour(source.text)) throw Error(std::string(known->what));
  if (is_headless(source.text))
    throw Error("line 1: lines of rocprof's results.csv without the line that names their columns: add it");
  throw Error(
      "the summary that rocprofv3 prints (-S), with rounded times: import …_kernel_stats.csv, which --stats writes "
      "with --output-format csv");
}

Contents refuse_browser_trace(const Source&, const Target&) {
  throw Error("a trace of rocprof for a browser: import results.csv or results.stats.csv, which stand beside it");
}

}  // namespace

const Format rocprof{"rocprof or Omniperf 1, a line a dispatch or a kernel",
                     "rocprof",
                     &recognises_rocprof,
                     &read_table,
                     &work_of_rocprof_counters,
                     WrittenAs::checked_lines};
const Format rocprofv2{
    "rocprofv2", "rocprofv2", &recognises_v2, &read_table, &work_of_rocprof_counters, WrittenAs::checked_lines};
const Format rocprofv3{"rocprofv3 counter collection, kernel trace or kernel stats",
                       "rocprofv3",
                       &recognises_v3,
                       &read_table,
                       &work_of_amd_counters,
                       WrittenAs::checked_lines};
const Format rocprof_compute{"rocprof-compute or Omniperf 2 pmc_perf.csv",
                             "rocprof-compute",
                             &recognises_compute,
                             &read_table,
                             &work_of_rocprof_counters,
                             WrittenAs::checked_lines};
const Format rocprof_no_kernels{"AMD's profilers, files without kernels",
                                "rocprof",
                                &recognises_no_kernels,
                                &refuse,
                                nullptr,
                                WrittenAs::checked_lines};
const Format rocprof_browser_trace{"rocprof trace for a browser", "rocprof", &is_browser_trace,
                                   &refuse_browser_trace,         nullptr,   WrittenAs::checked_lines};

}  // namespace gable::interchange
