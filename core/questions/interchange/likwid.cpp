#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// LIKWID: `likwid-perfctr -O`, tables of counters and of metrics, one of each for every region and group.
namespace gable::interchange {
namespace {

constexpr std::string_view whole_program = "whole program";
constexpr double most_lines = 1e6;  ///< of a table: no group has as many metrics
constexpr std::string_view runtime = "Runtime (RDTSC) [s]";

bool recognises(std::string_view text) {
  return early_line_has(text, {"STRUCT,Info,"}) || early_line_has(text, {"TABLE,", "Group "});
}

/// Where a line of a table stands.
struct Place {
  std::string region{whole_program};
  std::string group;      ///< MEM_DP
  bool metrics{};         ///< else raw counters
  bool statistics{};      ///< sums over the threads that stand beside
  std::size_t threads{};  ///< that the line with the names of the columns has; 0 above it
};

/// Of "TABLE,Region triad,Group 1 Metric STAT,MEM_DP,13,,": nothing of another line.
std::optional<Place> table_of(const std::vector<std::string>& cells) {
  if (cells.size() < 3 || cells[0] != "TABLE") return {};
  Place place;
  std::size_t at = 1;
  constexpr std::string_view region = "Region ";
  if (cells[at].starts_with(region)) place.region = cells[at++].substr(region.size());
  if (at + 1 >= cells.size() || !cells[at].starts_with("Group ")) return {};
  place.metrics = cells[at].find(" Metric") != std::string::npos;
  place.statistics = cells[at].ends_with(" STAT");
  place.group = cells[at + 1];
  return place;
}

/// The first cell of the line that names a table's threads: of metrics, and of the calls of a region.
bool names_threads(const std::string& first) { return first == "Metric" || first == "Region Info"; }

/// Throws Error where a line has not one value for each thread: it was cut off, or commas divide its numbers.
void check_values(const Place& place, std::size_t values, int number) {
  if (place.threads == 0)
    throw Error(fmt::format("line {}: the line that names the threads is missing above it", number));
  if (values != place.threads)
    throw Error(
        fmt::format("line {}: {} values, the table names {} threads: the file was cut off, or numbers have "
                    "commas (count again with LC_ALL=C)",
                    number, values, place.threads));
}

/// What the file has of one region, one entry a thread.
struct Region {
  std::string name, group;
  std::vector<std::optional<double>> calls;
  std::map<std::string, std::vector<std::optional<double>>> metrics;
};

double sum_of(const std::vector<std::optional<double>>& values) {
  double sum = 0;
  for (const auto& value : values) sum += value.value_or(0);
  return sum;
}

double largest_of(const std::vector<std::optional<double>>& values) {
  double largest = 0;
  for (const auto& value : values) largest = std::max(largest, value.value_or(0));
  return largest;
}

/// Metrics that are rates: what was done is rate x run time, thread by thread.
constexpr std::array<std::string_view, 5> rates{"DP [MFLOP/s]", "SP [MFLOP/s]", "HP [MFLOP/s]", "DP MFLOP/s",
                                                "SP MFLOP/s"};
constexpr std::array<std::string_view, 5> volumes{"Memory data volume [GBytes]", "Memory read data volume [GBytes]",
                                                  "Memory write data volume [GBytes]", "L2 data volume [GBytes]",
                                                  "L3 data volume [GBytes]"};

void add_region(Contents& contents, const Region& region) {
  const auto times = region.metrics.find(std::string(runtime));
  if (times == region.metrics.end() || !(largest_of(times->second) > 0))
    throw Error(fmt::format("region '{:.60}' has no '{}'", region.name, runtime));
  Kernel& kernel = contents.kernels.kernel(region.name);
  kernel.calls = std::max(1.0, largest_of(region.calls));
  kernel.seconds = largest_of(times->second);
  for (const std::string_view rate : rates) {
    const auto found = region.metrics.find(std::string(rate));
    if (found == region.metrics.end()) continue;
    double operations = 0;
    for (std::size_t i = 0; i < found->second.size() && i < times->second.size(); ++i)
      operations += found->second[i].value_or(0) * 1e6 * times->second[i].value_or(0);
    contents.kernels.add(kernel, contents.kernels.counter(rate), operations);
  }
  for (const std::string_view volume : volumes) {
    const auto found = region.metrics.find(std::string(volume));
    if (found != region.metrics.end())
      contents.kernels.add(kernel, contents.kernels.counter(volume), sum_of(found->second) * 1e9);
  }
}

/// A line with figures.
struct Line {
  std::vector<std::string> cells;
  int number;
  Place place;
};

/// Those of the file. What separators mean is then known to `numbers`.
std::vector<Line> lines_of(const Source& source, Numbers& numbers) {
  std::vector<Line> lines;
  std::optional<Place> place;
  std::optional<std::size_t> expected;  // lines that the table says it still has
  int table_line = 0;
  for_each_line(source.text, [&](std::string_view text, int number) {
    const bool begins = text.starts_with("TABLE,") || text.starts_with("STRUCT,");
    if (text.find(',') == text.npos || (!place && !begins)) return;  // of the program
    std::vector<std::string> cells;
    read_cells(text, number, cells);
    while (cells.size() > 1 && cells.back().empty()) cells.pop_back();
    if (cells[0] == "STRUCT") {
      place.reset();
      return;
    }
    if (auto table = table_of(cells)) {
      if (table->metrics && !table->statistics) {
        expected = 0;
        const auto group = std::ranges::find(cells, table->group);
        if (group != cells.end() && std::next(group) != cells.end())
          expected = static_cast<std::size_t>(
              std::clamp(Numbers().value(*std::next(group), number).value_or(0), 0.0, most_lines));
        table_line = number;
      }
      place = std::move(table);
      return;
    }
    if (!place || place->statistics || cells.size() < 2) return;
    if (names_threads(cells[0])) place->threads = cells.size() - 1;
    const bool counted = place->metrics ? cells[0] != "Metric" : cells[0] == "call count";
    if (!counted) return;
    check_values(*place, cells.size() - 1, number);
    if (place->metrics && expected && *expected > 0) --*expected;
    for (std::size_t i = 1; i < cells.size(); ++i) numbers.see(cells[i], number);
    lines.push_back({std::move(cells), number, *place});
  });
  if (expected && *expected > 0)
    throw Error(fmt::format("line {}: the table lacks {} of its lines: the file was cut off", table_line, *expected));
  return lines;
}

std::vector<Region> regions_of(const std::vector<Line>& lines, const Numbers& numbers) {
  std::vector<Region> regions;
  for (const Line& line : lines) {
    auto region = std::ranges::find(regions, line.place.region, &Region::name);
    if (region == regions.end()) region = regions.insert(region, Region{line.place.region, line.place.group, {}, {}});
    if (region->group != line.place.group)
      throw Error(
          fmt::format("line {}: region '{:.60}' has the groups {} and {}, which share its time: count each in a "
                      "run of its own and import both files",
                      line.number, region->name, region->group, line.place.group));
    std::vector<std::optional<double>> values;
    for (std::size_t i = 1; i < line.cells.size(); ++i) values.push_back(numbers.value(line.cells[i], line.number));
    if (line.place.metrics)
      region->metrics[line.cells[0]] = std::move(values);
    else
      region->calls = std::move(values);
  }
  return regions;
}

Contents read(const Source& source, const Target&) {
  Numbers numbers;
  const std::vector<Line> lines = lines_of(source, numbers);
  const std::vector<Region> regions = regions_of(lines, numbers);
  Contents contents;
  for (const Region& region : regions) add_region(contents, region);
  if (regions.empty()) throw Error("no table of metrics: count a group (-g MEM_DP), not single events");
  return contents;
}

KernelWork work_of(Counted& counted, const Target&) {
  KernelWork work;
  const auto read = counted.find("Memory read data volume [GBytes]");
  const auto written = counted.find("Memory write data volume [GBytes]");
  if (read && written) {
    work.bytes_read = *read;
    work.bytes_written = *written;
  } else if (const auto both = counted.find("Memory data volume [GBytes]")) {
    work.bytes_read = *both;
    work.no_direction = true;
  } else {
    work.unknown.emplace_back("bytes of the main memory (import the group MEM of the same regions beside this one)");
  }
  if (const auto bytes = counted.find("L2 data volume [GBytes]")) work.inner.push_back({"L2", *bytes});
  if (const auto bytes = counted.find("L3 data volume [GBytes]")) work.inner.push_back({"L3", *bytes});
  const auto find = [&](std::string_view name, std::string_view older) {
    const auto found = counted.find(name);
    return found ? found : counted.find(older);
  };
  const auto dp = find("DP [MFLOP/s]", "DP MFLOP/s"), sp = find("SP [MFLOP/s]", "SP MFLOP/s");
  if (dp) add_operations(work, DType::fp64, Unit::vector, *dp);
  if (sp) add_operations(work, DType::fp32, Unit::vector, *sp);
  if (const auto hp = counted.find("HP [MFLOP/s]")) add_operations(work, DType::fp16, Unit::vector, *hp);
  if (!dp) work.unknown.emplace_back("operations of fp64");
  if (!sp) work.unknown.emplace_back("operations of fp32");
  return work;
}

}  // namespace

const Format likwid{"likwid-perfctr -O", "likwid-perfctr", &recognises, &read, &work_of, NamesOf::regions};

}  // namespace gable::interchange
