#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/numbers.hpp"
#include "core/questions/interchange/sheet.hpp"

/// Tables of kernels' times that NVIDIA's tools print: `nsys stats` (cuda_gpu_kern_sum, once gpukernsum, cuda_gpu_sum
/// and cuda_gpu_trace), as CSV or in columns, and `nvprof --csv`, its summary and its trace (--print-gpu-trace). Other
/// tables may stand around them.
namespace gable::interchange {
namespace {

bool is_of_nsys_stats(std::string_view text) {
  return early_line_has(
      text,
      {{"Time", "(%)", "Total Time", "Name"}, {"Time(%)", "Total Time"}, {"Start (", "Duration (", "GrdX", "Name"}});
}

bool is_of_nvprof_csv(std::string_view text) {
  return early_line_has(text, {{"Time(%)", "Time", "Calls", "Avg", "Max", "Name"},
                               {"Start", "Duration", "Grid X", "Name"},
                               {"NVPROF is profiling"},
                               {"Kernel", "Invocations", "Metric Name", "Metric Description"}});
}

/// Where the cells of a line of columns begin: below each run of dashes.
struct Columns {
  std::vector<std::pair<std::size_t, std::size_t>> at;  ///< begin and end
};
std::optional<Columns> dashes(std::string_view line) {
  if (line.find("--") == line.npos || line.find_first_not_of(" -") != line.npos) return {};
  Columns columns;
  for (std::size_t begin = line.find('-'); begin != line.npos; begin = line.find('-', begin)) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    columns.at.emplace_back(begin, end);
    begin = end;
  }
  return columns;
}
std::vector<std::string> cells_below(const Columns& columns, std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < columns.at.size(); ++i) {
    const auto begin = std::min(columns.at[i].first, line.size());
    const bool last = i + 1 == columns.at.size();
    const auto end = last ? line.size() : std::min(columns.at[i].second, line.size());
    cells.emplace_back(trimmed(line.substr(begin, end - begin)));
  }
  return cells;
}

/// What the columns of a table are, by their names.
struct Roles {
  std::optional<std::size_t> time, calls, name, type, grid, device, shortest, longest;
  std::string unit;  ///< of the time, where its name tells it

  bool operator==(const Roles&) const = default;
};

/// "Total Time (ns)" without what stands in brackets, and that.
std::pair<std::string, std::string> name_and_unit(std::string_view heading) {
  const auto open = heading.find('(');
  if (open == heading.npos || !heading.ends_with(')')) return {std::string(heading), ""};
  return {std::string(trimmed(heading.substr(0, open))),
          std::string(heading.substr(open + 1, heading.size() - open - 2))};
}

/// Of a table of kernels' times; nothing for all others, such as that of calls of the runtime.
std::optional<Roles> roles_of(const std::vector<std::string>& names) {
  Roles roles;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [name, unit] = name_and_unit(names[i]);
    if (name == "Total Time" || name == "Duration" || (name == "Time" && unit != "%"))
      roles.time = i, roles.unit = unit;
    if (name.starts_with("Min") && unit != "%") roles.shortest = i;
    if (name.starts_with("Max") && unit != "%") roles.longest = i;
    if (name == "Instances" || name == "Calls") roles.calls = i;
    if (name == "Name" || (roles.type && name == "Operation")) roles.name = i;
    if (name == "Type" || name == "Category") roles.type = i;
    if (name == "GrdX" || name == "Grid X") roles.grid = i;
    if (name == "Device") roles.device = i;
  }
  const bool is_kernels = roles.time && roles.name && (roles.calls || roles.grid);
  return is_kernels ? std::optional(std::move(roles)) : std::nullopt;
}

/// The kernels of a text's tables. All have the columns of the first: another one, such as that of all launches beside
/// that of all kernels, would count the same again.
class TimesReader {
 public:
  /// nvprof has the units in the line below the names.
  explicit TimesReader(bool units_below) : units_below_(units_below) {}

  void take(std::string_view line, int number) {
    if (trimmed(line).empty() || line.starts_with("==")) {
      if (line.starts_with("==")) of_calls_ = line.find("API calls") != line.npos;
      end_table();
      above_.clear();
      return;
    }
    if (roles_) return row(line, number);
    if (line.find(',') != line.npos && line.find("Name") != line.npos) {
      read_cells(line, number, cells_);
      columns_.reset();
      begin(cells_);
    } else if (const auto columns = dashes(line); columns && !above_.empty()) {
      columns_ = columns;
      begin(cells_below(*columns, above_));
    }
    above_ = std::string(line);
  }

  Contents finish() {
    end_table();
    Contents contents;
    contents.timed_by = time_name_;
    check_devices(contents);
    for (const Row& row : rows_) {
      const auto time = numbers_.value(row.time.text, row.line), calls = numbers_.value(row.calls, row.line);
      if (!time || !calls || !(*time > 0 && *calls > 0))
        fail_at(row.line, "'{:.60}' has the time '{}' of {} calls", row.name, row.time.text, row.calls);
      Kernel& kernel = contents.kernels.kernel(row.name);
      const auto seconds = [&](const Time& of) { return of.factor * numbers_.value(of.text, row.line).value_or(0); };
      if (*calls > 1)
        kernel.add_calls(*calls, *time * row.time.factor, seconds(row.shortest), seconds(row.longest));
      else
        kernel.add_call(*time * row.time.factor);
    }
    if (left_out_ > 0)
      say(contents.notes, "{} further tables of kernels are left out: they tell the same again", left_out_);
    if (repeated_ > 0) say(contents.notes, "{} tables stand twice in the file: each was counted once", repeated_);
    if (alike_ > 0)
      say(contents.notes,
          "{} names of kernels are alike as far as columns have them, and numbered: CSV has them in full", alike_);
    return contents;
  }

 private:
  struct Time {
    std::string text{};
    double factor{};  ///< of its unit
  };
  struct Row {
    int line;
    std::string calls, name;
    Time time, shortest, longest;
  };

  /// A table that stands there once more, all of it alike, is no further run.
  void end_table() {
    roles_.reset();
    if (rows_.size() > table_begin_ && !tables_.insert(table_hash_).second) {
      rows_.resize(table_begin_);
      ++repeated_;
    }
    table_begin_ = rows_.size();
    table_hash_ = 0;
    cut_.clear();
  }

  /// The GPUs that kernels ran on, "NVIDIA A100 (0)": one, or several of one model, which a note says.
  void check_devices(Contents& contents) const {
    std::set<std::string> models;
    for (const std::string& device : devices_) {
      const bool is_number = device.find_first_not_of("0123456789") == device.npos;
      models.insert(is_number ? "unknown" : device.substr(0, device.rfind(" (")));
    }
    note_gpus(contents, devices_.size(), {models.begin(), models.end()});
  }

  void begin(std::vector<std::string> names) {
    end_table();
    for (std::string& name : names) name = std::string(trimmed(name));
    roles_ = roles_of(names);
    if (!roles_ || of_calls_) return roles_.reset();
    if (width_ == 0) first_ = *roles_, time_name_ = names[*roles_->time];
    width_ = names.size();
    if (!(first_ == *roles_)) {
      ++left_out_;
      return roles_.reset();
    }
    factors_.reset();
    if (units_below_) return;
    for (std::string& name : names) name = name_and_unit(name).second;
    set_units(names, 0);
  }

  /// `units`: of all columns. Only that of the time has to be known.
  void set_units(const std::vector<std::string>& units, int line) {
    const auto factor_of = [&](const std::optional<std::size_t>& column) {
      return column ? unit_factor(trimmed(units[*column]), {"second", "s"}) : std::nullopt;
    };
    const auto factor = factor_of(roles_->time);
    if (!factor)
      throw Error(fmt::format("{}the unit '{}' of {} is not known here", line > 0 ? fmt::format("line {}: ", line) : "",
                              trimmed(units[*roles_->time]), time_name_));
    factors_ = {*factor, factor_of(roles_->shortest).value_or(0), factor_of(roles_->longest).value_or(0)};
  }
  Time time_in(const std::optional<std::size_t>& column, double factor) const {
    return column ? Time{cells_[*column], factor} : Time{};
  }

  void row(std::string_view line, int number) {
    if (columns_)
      cells_ = cells_below(*columns_, line);
    else
      read_cells(line, number, cells_);
    if (cells_.size() != width_)
      fail_at(number, "{} cells, the table has {} columns: the file was cut off", cells_.size(), width_);
    if (trimmed(cells_[*roles_->time]) == time_name_) return begin(cells_);  // the next table, with nothing between
    if (!factors_) return set_units(cells_, number);
    for (const std::string& cell : cells_) numbers_.see(cell, number);
    std::string name(trimmed(cells_[*roles_->name]));
    if (!is_kernel(name)) return;
    if (const auto mark = name.rfind(" [");
        mark != name.npos && name.ends_with(']') && name.find_first_not_of("0123456789", mark + 2) == name.size() - 1)
      name.resize(mark);  // nvprof's number of the launch
    if (columns_ && roles_->calls && (name.ends_with("…") || name.ends_with("..."))) {
      // a line a kernel: two that begin alike
      if (const int same = ++cut_[name]; same > 1) name += fmt::format(" ({})", same), ++alike_;
    }
    if (const auto device = roles_->device ? trimmed(cells_[*roles_->device]) : ""; !device.empty())
      devices_.emplace(device);
    constexpr std::size_t odd = 0x9E3779B97F4A7C15;
    table_hash_ = table_hash_ * odd + std::hash<std::string_view>{}(line);
    rows_.push_back({number, roles_->calls ? cells_[*roles_->calls] : "1", std::move(name),
                     time_in(roles_->time, factors_->time), time_in(roles_->shortest, factors_->shortest),
                     time_in(roles_->longest, factors_->longest)});
  }

  /// Copies and fills of memory have names in brackets, other types, and no grid.
  bool is_kernel(std::string_view name) const {
    if (name.empty() || name.starts_with("[CUDA ")) return false;
    const std::string_view type = roles_->type ? trimmed(cells_[*roles_->type]) : "";
    if (roles_->type && type != "GPU activities" && type != "CUDA_KERNEL") return false;
    const std::string_view grid = roles_->grid ? trimmed(cells_[*roles_->grid]) : "1";
    return !grid.empty() && grid != "-";
  }

  bool units_below_, of_calls_{};
  std::string above_, time_name_;
  std::vector<std::string> cells_;
  std::size_t width_{};  ///< of the table in cells
  std::optional<Columns> columns_;
  std::optional<Roles> roles_;
  Roles first_;
  struct Factors {
    double time, shortest, longest;
  };
  std::optional<Factors> factors_;  ///< of the units of those columns; 0: unknown
  std::size_t left_out_{}, repeated_{}, alike_{};
  std::map<std::string, int> cut_;  ///< names that nsys cut: how many lines of the table have each
  std::vector<Row> rows_;
  std::size_t table_begin_{}, table_hash_{};  ///< of the rows of the last table: the first, and all of their lines
  std::unordered_set<std::size_t> tables_;    ///< by what their lines hash to
  std::set<std::string> devices_;
  Numbers numbers_;
};

Contents read_times(const Source& source, bool units_below, std::string_view advice) {
  TimesReader reader(units_below);
  for_each_line(source.text, [&](std::string_view line, int number) { reader.take(line, number); });
  Contents contents = reader.finish();
  if (contents.kernels.kernels().empty()) throw Error(std::string(advice));
  return contents;
}

Contents read_nsys_stats(const Source& source, const Target&) {
  return read_times(source, false,
                    "tables of nsys stats, and none of them of the kernels: nsys stats --report cuda_gpu_kern_sum "
                    "--format csv FILE.nsys-rep (one without CUDA has none)");
}

Contents read_nvprof_csv(const Source& source, const Target&) {
  if (early_line_has(source.text, {{"Kernel", "Invocations", "Metric Name"}}))
    throw Error(
        "metrics of nvprof, which have no times: import what nvprof --csv prints without --metrics, and take ncu for "
        "counters");
  return read_times(source, true,
                    "what nvprof prints for people, or a run in which it saw no kernel: call it with --csv, or make "
                    "that of its file: nvprof --import-profile FILE --csv --log-file FILE.csv");
}

}  // namespace

const Format nsys_stats{"nsys stats",     "nsys",         &is_of_nsys_stats,
                        &read_nsys_stats, &work_of_times, WrittenAs::checked_lines};
const Format nvprof{"nvprof CSV",     "nvprof",       &is_of_nvprof_csv,
                    &read_nvprof_csv, &work_of_times, WrittenAs::checked_lines};

}  // namespace gable::interchange
