#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/questions/interchange/database.hpp"
#include "core/questions/interchange/dispatches.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// Databases of AMD's profilers: rocpd, which rocprofv3 writes (`*_results.db`), with tables whose names end in an id
/// of the process; `results.db` of rocprof, with the columns of its results.csv in the table KERN, or with times alone
/// in OPS; rocmProfileData's `.rpd`, with times in rocpd_op.
namespace gable::interchange {
namespace {

constexpr std::string_view dispatch_table = "rocpd_kernel_dispatch";

bool has_table(std::string_view outline, std::string_view table) {
  return outline.find(fmt::format("\n{}\n", table)) != outline.npos;
}

bool recognises_rocpd(std::string_view outline) {
  return outline.starts_with(Database::start) && outline.find(fmt::format("\n{}", dispatch_table)) != outline.npos;
}

bool recognises_rocprof(std::string_view outline) {
  return outline.starts_with(Database::start) && has_table(outline, "KERN");
}

bool recognises_rpd(std::string_view outline) {
  return outline.starts_with(Database::start) && has_table(outline, "rocpd_op");
}

/// What the names of the tables of each process end with: it becomes part of questions to the database. Throws Error
/// for what rocprofv3 does not write.
std::vector<std::string> processes_of(std::string_view outline) {
  std::vector<std::string> ends;
  for_each_line(outline, [&](std::string_view table, int) {
    if (!table.starts_with(dispatch_table)) return;
    const std::string_view end = table.substr(dispatch_table.size());
    if (!std::ranges::all_of(end, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }))
      throw Error(fmt::format("its table '{:.80}' is none that rocprofv3 makes", table));
    ends.emplace_back(end);
  });
  return ends;
}

/// The eighth column of a query, which rocprof writes with quotes.
std::string kernel_of(const Database::Row& row) {
  std::string name = row.text(7);
  if (name.size() > 1 && name.starts_with('"') && name.ends_with('"')) name = name.substr(1, name.size() - 2);
  return name;
}

/// One dispatch as both kinds of database have it: the first eight columns of a query.
void take_dispatch(const Database::Row& row, std::string_view process, Dispatches& dispatches) {
  const std::int64_t start = row.integer(0), end = row.integer(1), dispatched = row.integer(2);
  const std::string gpu = row.text(3), id = row.text(4), owner = fmt::format("{}{}", process, row.text(5));
  const std::string first = std::to_string(start), last = std::to_string(end);
  const std::string name = kernel_of(row);
  DispatchLine line{
      .process = owner, .gpu = gpu, .id = id, .kernel = name, .start = first, .end = last, .work_items = row.number(6)};
  line.before_dispatch = start < dispatched && dispatched < end;
  if (end > start && !line.before_dispatch)
    line.seconds = 1e-9 * static_cast<double>(static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start));
  dispatches.take(line);
}

using CounterSums = std::vector<std::pair<std::string, double>>;

/// What was counted, by the id of the dispatch's event: a line of each part of the chip. SPM's samples are no counts.
std::unordered_map<std::int64_t, CounterSums> counters_of(const Database& database, const std::string& process) {
  std::unordered_map<std::int64_t, CounterSums> counted;
  const bool sampled = database.has("rocpd_pmc_event" + process, "sample_id");
  database.ask(fmt::format("SELECT p.event_id, i.name, p.value FROM \"rocpd_pmc_event{0}\" p JOIN "
                           "\"rocpd_info_pmc{0}\" i ON i.id = p.pmc_id{1}",
                           process, sampled ? " WHERE p.sample_id IS NULL" : ""),
               [&](const Database::Row& row) {
                 const std::string name = row.text(1);
                 if (!is_amd_counter(name)) return;
                 CounterSums& all = counted[row.integer(0)];
                 const auto known = std::ranges::find(all, name, &CounterSums::value_type::first);
                 if (known == all.end())
                   all.emplace_back(name, row.number(2));
                 else
                   known->second += row.number(2);
               });
  return counted;
}

Contents read_rocpd(const Source& source, const Target&) {
  const Database& database = *source.database;
  Dispatches dispatches(Dispatches::OtherTimes::another_pass);
  for (const std::string& process : processes_of(source.text)) {
    const auto counted = counters_of(database, process);
    // schema 4 has agent and process in a table of their own
    const bool tracks = database.has(fmt::format("{}{}", dispatch_table, process), "track_id");
    database.ask(fmt::format("SELECT d.start, d.\"end\", 0, agent_id, d.dispatch_id, {2}.pid, 1.0 * d.grid_size_x * "
                             "d.grid_size_y * d.grid_size_z, COALESCE(s.display_name, s.kernel_name), d.event_id FROM "
                             "\"{0}{1}\" d JOIN \"rocpd_info_kernel_symbol{1}\" s ON s.id = d.kernel_id{3}",
                             dispatch_table, process, tracks ? "t" : "d",
                             tracks ? fmt::format(" JOIN \"rocpd_track{}\" t ON t.id = d.track_id", process) : ""),
                 [&](const Database::Row& row) {
                   take_dispatch(row, process, dispatches);
                   const auto found = counted.find(row.integer(8));
                   if (found == counted.end()) return;
                   for (const auto& [name, value] : found->second) dispatches.count(name, value, 0);
                 });
  }
  Contents contents = dispatches.contents();
  if (contents.kernels.kernels().empty()) throw Error("no kernel in it: call rocprofv3 with --kernel-trace or --pmc");
  return contents;
}

Contents read_rocprof(const Source& source, const Target&) {
  const Database& database = *source.database;
  Dispatches dispatches(Dispatches::OtherTimes::another_dispatch);
  std::size_t left_out = 0;
  if (database.has("KERN", "BeginNs")) {
    std::vector<std::string> counters;
    database.ask("PRAGMA table_info(KERN)", [&](const Database::Row& row) {
      if (is_amd_counter(row.text(1))) counters.push_back(row.text(1));
    });
    std::string columns = R"("BeginNs", "EndNs", "DispatchNs", "gpu-id", "Index", "pid", "grd", "KernelName")";
    for (const std::string& counter : counters) columns += fmt::format(", \"{}\"", counter);
    database.ask("SELECT " + columns + " FROM KERN", [&](const Database::Row& row) {
      constexpr int before = 8;
      take_dispatch(row, "", dispatches);
      for (std::size_t i = 0; i < counters.size(); ++i) {
        const int at = before + static_cast<int>(i);
        if (!row.text(at).empty()) dispatches.count(counters[i], row.number(at), 0);
      }
    });
  } else if (has_table(source.text, "OPS")) {
    database.ask("SELECT \"BeginNs\", \"EndNs\", 0, \"dev-id\", '', \"pid\", 0, \"Name\" FROM OPS",
                 [&](const Database::Row& row) {
                   if (is_host_call(kernel_of(row)))
                     ++left_out;
                   else
                     take_dispatch(row, "", dispatches);
                 });
  }
  Contents contents = dispatches.contents();
  if (left_out > 0) say(contents.notes, "{} copies, fills and calls on the host are left out", left_out);
  if (contents.kernels.kernels().empty())
    throw Error("no kernel in it: call rocprof with --timestamp on, --stats or --hip-trace");
  return contents;
}

/// Copies and fills are operations, too, but have no description.
Contents read_rpd(const Source& source, const Target&) {
  Dispatches dispatches(Dispatches::OtherTimes::another_dispatch);
  source.database->ask(
      "SELECT o.start, o.\"end\", 0, o.gpuId, o.id, '', 0, d.string FROM rocpd_op o JOIN rocpd_string d ON d.id = "
      "o.description_id WHERE d.string != ''",
      [&](const Database::Row& row) { take_dispatch(row, "", dispatches); });
  Contents contents = dispatches.contents();
  contents.timed_by = "rocpd_op.end - start";
  if (contents.kernels.kernels().empty()) throw Error("a trace of rocmProfileData in which no kernel was recorded");
  return contents;
}

}  // namespace

const Format rpd{"rocmProfileData (.rpd)", "rpd", &recognises_rpd, &read_rpd, &work_of_times, WrittenAs::json};
const Format rocpd{"rocprofv3 database (rocpd)", "rocprofv3",    &recognises_rocpd, &read_rocpd,
                   &work_of_amd_counters,        WrittenAs::json};
const Format rocprof_database{"rocprof database",        "rocprof",      &recognises_rocprof, &read_rocprof,
                              &work_of_rocprof_counters, WrittenAs::json};

}  // namespace gable::interchange
