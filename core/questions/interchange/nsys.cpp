#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/questions/interchange/database.hpp"
#include "core/questions/interchange/format.hpp"

/// Databases of kernels that ran on NVIDIA's GPUs: what `nsys export --type sqlite` makes ("Exporter SQLite Schema"),
/// and what nvprof and the Visual Profiler write (.nvprof, .nvvp). They have times and sizes and no counters.
namespace gable::interchange {
namespace {

constexpr std::string_view kernels = "CUPTI_ACTIVITY_KIND_KERNEL", copies = "CUPTI_ACTIVITY_KIND_MEMCPY",
                           concurrent_kernels = "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", ranges = "NVTX_EVENTS",
                           graphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", gpus = "TARGET_INFO_GPU",
                           names_of_nsys = "StringIds", names_of_nvprof = "StringTable";

bool is_of_nsys(std::string_view outline) {
  return outline.starts_with(Database::start) && outline.find("\nStringIds\n") != outline.npos;
}
bool is_of_nvprof(std::string_view outline) {
  return outline.starts_with(Database::start) && outline.find("\nStringTable\n") != outline.npos &&
         outline.find("\nCUPTI_ACTIVITY_KIND_") != outline.npos;
}

/// Which kernels there are, in which table and where their names stand.
struct KernelTables {
  std::string_view table, name, names, id;
};

/// Names by their ids, each id once: two rows of one id would count a launch twice.
std::string names_by_id(std::string_view table, std::string_view id) {
  return fmt::format("(SELECT {0} AS id, MIN(value) AS value FROM {1} GROUP BY {0})", id, table);
}

/// A kernel that was launched with other grids or blocks is one kernel, and its time a mean over them. Launches that
/// end when they begin are not among its calls.
void add_kernels(Contents& contents, const Database& database, const KernelTables& in) {
  constexpr std::string_view no_name = "(no name)";
  const std::string query = fmt::format(
      "SELECT COALESCE(NULLIF(n.value, ''), '{}'), SUM(COALESCE(k.\"end\" > k.start, 0)), "
      "SUM(MAX(k.\"end\" - k.start, 0)), COUNT(DISTINCT CASE WHEN k.\"end\" > k.start THEN "
      "k.gridX || ' ' || k.gridY || ' ' || k.gridZ || ' ' || k.blockX || ' ' || k.blockY || ' ' || k.blockZ END), "
      "COUNT(*), MIN(CASE WHEN k.\"end\" > k.start THEN k.\"end\" - k.start END), MAX(k.\"end\" - k.start) FROM {} k "
      "LEFT JOIN {} n ON n.id = k.{} GROUP BY 1 ORDER BY 3 DESC",
      no_name, in.table, names_by_id(in.names, in.id), in.name);
  std::size_t of_sizes = 0;
  std::int64_t most_sizes = 0, without_time = 0, without_name = 0;
  std::string of_most;
  database.ask(query, [&](const Database::Row& row) {
    without_time += row.integer(4) - row.integer(1);
    const double seconds = row.number(2) * 1e-9;
    if (!(seconds > 0)) return;
    if (row.text(0) == no_name) without_name = row.integer(1);
    Kernel& kernel = contents.kernels.kernel(row.text(0));
    kernel.add_calls(row.number(1), seconds, row.number(5) * 1e-9, row.number(6) * 1e-9);
    if (row.integer(3) < 2) return;
    ++of_sizes;
    if (row.integer(3) > most_sizes) most_sizes = row.integer(3), of_most = row.text(0);
  });
  if (of_sizes > 0)
    say(contents.notes,
        "{} of {} kernels were launched in several sizes (grid and block), and their times are means over them; "
        "'{:.60}' has {}",
        of_sizes, contents.kernels.kernels().size(), of_most, most_sizes);
  if (without_time > 0) say(contents.notes, "{} launches end when they begin and are left out", without_time);
  if (without_name > 0)
    say(contents.notes, "{} launches are of kernels whose names are not in {}", without_name, in.names);
}

std::string_view direction_of(std::int64_t kind) {
  constexpr std::pair<std::int64_t, std::string_view> names[] = {{1, "host to device"},
                                                                 {2, "device to host"},
                                                                 {8, "within the device"},
                                                                 {9, "within the host"},
                                                                 {10, "device to device"}};
  const auto found = std::ranges::find(names, kind, &std::pair<std::int64_t, std::string_view>::first);
  return found == std::end(names) ? std::string_view() : found->second;
}

void note_copies(Contents& contents, const Database& database) {
  if (!database.has(copies, "bytes")) return;
  database.ask(
      fmt::format("SELECT copyKind, COUNT(*), SUM(bytes), SUM(end - start) FROM {} GROUP BY 1 ORDER BY 4 DESC", copies),
      [&](const Database::Row& row) {
        const std::string_view direction = direction_of(row.integer(0));
        const double seconds = row.number(3) * 1e-9;
        if (direction.empty() || !(seconds > 0)) return;
        say(contents.notes, "{} copies {}: {:.4g} MB in {:.4g} ms, {:.4g} GB/s", row.integer(1), direction,
            row.number(2) * 1e-6, seconds * 1e3, row.number(2) / seconds * 1e-9);
      });
}

/// Ranges are of the program's threads: their time is not that of the kernels in them.
void note_ranges(Contents& contents, const Database& database) {
  constexpr int most = 5;
  if (!database.has(ranges, "end")) return;
  const bool registered = database.has(ranges, "textId");
  const std::string name = registered ? "COALESCE(e.text, s.value)" : "e.text";
  const std::string join =
      registered ? fmt::format("LEFT JOIN {} s ON s.id = e.textId", names_by_id(names_of_nsys, "id")) : "";
  std::vector<std::string> found;
  database.ask(fmt::format("SELECT {}, COUNT(*), SUM(e.end - e.start) FROM {} e {} WHERE e.end > e.start AND {} IS NOT "
                           "NULL GROUP BY 1 ORDER BY 3 DESC",
                           name, ranges, join, name),
               [&](const Database::Row& row) {
                 found.push_back(fmt::format("'{:.60}' {} times, {:.4g} ms of wall time", row.text(0), row.integer(1),
                                             row.number(2) * 1e-6));
               });
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), most); ++i)
    say(contents.notes, "NVTX range {}", found[i]);
  if (found.size() > most) say(contents.notes, "{} more NVTX ranges", found.size() - most);
}

/// The GPUs that kernels ran on: one, or several of one model, which a note says.
void check_gpus(Contents& contents, const Database& database, std::string_view table) {
  if (!database.has(table, "deviceId")) return;
  const bool named = database.has(gpus, "name") && database.has(gpus, "id");
  const std::string query = named ? fmt::format(
                                        "SELECT DISTINCT k.deviceId, (SELECT MIN(g.name) FROM {} g WHERE g.id = "
                                        "k.deviceId) FROM {} k ORDER BY 1",
                                        gpus, table)
                                  : fmt::format("SELECT DISTINCT deviceId, '' FROM {} ORDER BY 1", table);
  std::size_t used = 0;
  std::vector<std::string> models;
  database.ask(query, [&](const Database::Row& row) {
    ++used;
    if (std::ranges::count(models, row.text(1)) == 0) models.push_back(row.text(1));
  });
  note_gpus(contents, used, models);
}

std::optional<std::string> version_of(const Database& database) {
  std::optional<std::string> version;
  for (const std::string_view table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    if (!database.has(table, "value")) continue;
    database.ask(fmt::format("SELECT value FROM {} WHERE name = 'EXPORT_PRODUCT_VERSION'", table),
                 [&](const Database::Row& row) { version = row.text(0); });
  }
  return version;
}

Contents of_database(const Database& database, const KernelTables& in) {
  Contents contents;
  contents.timed_by = fmt::format("{}.end - start", in.table);
  check_gpus(contents, database, in.table);
  add_kernels(contents, database, in);
  if (contents.kernels.kernels().empty()) throw Error(fmt::format("{} has no kernel with a time", in.table));
  return contents;
}

Contents read_nsys(const Source& source, const Target&) {
  const Database& database = *source.database;
  if (!database.has(kernels))
    throw Error(
        "a database of Nsight Systems in which no kernel of a GPU was recorded: profile with --trace cuda "
        "--cuda-graph-trace node, where CUDA works (it has no table CUPTI_ACTIVITY_KIND_KERNEL)");
  const std::string_view name = database.has(kernels, "demangledName") ? "demangledName" : "shortName";
  Contents contents = of_database(database, {kernels, name, names_of_nsys, "id"});
  contents.version = version_of(database);
  note_copies(contents, database);
  if (database.has(graphs, "end"))  // each as a whole, as nsys does it unless told otherwise
    database.ask(fmt::format("SELECT COUNT(*), SUM(\"end\" - start) FROM {}", graphs), [&](const Database::Row& row) {
      if (row.integer(0) > 0)
        say(contents.notes, "{} CUDA graphs, {:.4g} ms: their kernels come with --cuda-graph-trace node",
            row.integer(0), row.number(1) * 1e-6);
    });
  note_ranges(contents, database);
  return contents;
}

Contents read_nvprof(const Source& source, const Target&) {
  const Database& database = *source.database;
  Contents contents;
  std::string_view table;
  for (const std::string_view one : {concurrent_kernels, kernels}) {
    if (!table.empty() || !database.has(one)) continue;
    database.ask(fmt::format("SELECT 1 FROM {} LIMIT 1", one), [&](const Database::Row&) { table = one; });
  }
  if (table.empty()) throw Error("a database of nvprof in which no kernel of a GPU was recorded");
  contents = of_database(database, {table, "name", names_of_nvprof, "_id_"});
  note_copies(contents, database);
  return contents;
}

}  // namespace

KernelWork work_of_times(Counted&, const Target&) {
  KernelWork work;
  work.unknown = {"operations", "bytes of the main memory"};
  return work;
}

const Format nsys{"Nsight Systems SQLite", "nsys", &is_of_nsys, &read_nsys, &work_of_times, WrittenAs::checked_lines};
const Format nvprof_database{"nvprof database", "nvprof",       &is_of_nvprof,
                             &read_nvprof,      &work_of_times, WrittenAs::checked_lines};

}  // namespace gable::interchange
