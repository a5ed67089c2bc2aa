#include <array>

#include "core/error.hpp"
#include "core/questions/interchange/dispatch_tables.hpp"
#include "core/questions/interchange/sheet.hpp"

/// Tables of AMD's profilers: rocprof, the first one, which Omniperf 1 calls; rocprofv2; rocprofv3; rocprof-compute,
/// formerly Omniperf, with either of its two forms of pmc_perf.csv.
namespace gable::interchange {
namespace {

bool is_counter_rows(std::string_view text) { return names_columns(text, {"Counter_Name", "Counter_Value"}); }
bool is_kernel_stats(std::string_view text) { return names_columns(text, {"Name", "Calls", "TotalDurationNs"}); }

/// In whichever form it has its lines.
Contents read_table(const Source& source, const Target&) {
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
