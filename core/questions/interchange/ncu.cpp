#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/ncu_launches.hpp"
#include "core/questions/interchange/sheet.hpp"

/// NVIDIA Nsight Compute: `ncu --csv`, in its long form (`--page details`, a line a metric), its wide form (`--page
/// raw`, a line a launch, units in the second line) and its summary (`--print-summary per-kernel`, a line a kernel and
/// metric), as ncu writes them or a spreadsheet or pandas saved them: with or without quotes, with commas or
/// semicolons, with columns left out. Metrics: "Kernel Profiling Guide" of Nsight Compute.
namespace gable::interchange {
namespace {

constexpr std::string_view no_permission = "ERR_NVGPUCTRPERM";
constexpr std::string_view kernel_column = "Kernel Name", metric_column = "Metric Name", value_column = "Metric Value",
                           mean_column = "Average", count_column = "Invocations", least_column = "Minimum",
                           most_column = "Maximum";

bool recognises(std::string_view text) {
  return early_line_has(text, {{kernel_column, "Process ID"},
                               {kernel_column, metric_column, value_column},
                               {kernel_column, "gpu__time_duration"},
                               {no_permission},
                               {"==PROF=="},
                               {"Section: GPU Speed Of Light"},
                               {"Section: Command line profiler metrics"}});
}

/// The names of a table's columns, and what lies between its cells.
struct Header {
  std::vector<std::string> names;
  char separator{','};
  bool quoted{};

  std::optional<std::size_t> find(std::string_view name) const { return index_of(names, name); }
  bool has(std::string_view name) const { return find(name).has_value(); }
  std::size_t at(std::string_view name) const { return column_of(names, name); }
};

/// The header that a line is; nothing for any other line.
std::optional<Header> header_of(std::string_view line, int number) {
  const auto kernel = line.find(kernel_column);
  if (kernel == line.npos) return {};
  constexpr std::array separators{',', ';'};
  Header header;
  header.separator = *std::ranges::max_element(separators, {}, [&](char c) { return std::ranges::count(line, c); });
  if (std::ranges::count(line, '"') % 2 != 0) return {};
  read_cells(line, number, header.names, header.separator);
  for (std::string& name : header.names) name = std::string(trimmed(name));
  header.quoted = kernel > 0 && line[kernel - 1] == '"';
  const bool columns = header.has("Process ID") || header.has(metric_column) || header.names.size() > 2;
  return header.has(kernel_column) && columns ? std::optional(std::move(header)) : std::nullopt;
}

std::string_view cell(const std::vector<std::string>& cells, std::optional<std::size_t> at) {
  return at && *at < cells.size() ? std::string_view(cells[*at]) : std::string_view();
}

/// One line a metric of a launch, or of all launches of a kernel.
class LongForm {
 public:
  LongForm(const Header& header, NcuLaunches& launches)
      : launches_(launches),
        kernel_(header.at(kernel_column)),
        metric_(header.at(metric_column)),
        unit_(header.at("Metric Unit")),
        id_(header.find("ID")),
        process_(header.find("Process ID")),
        count_(header.find(count_column)),
        block_(header.find("Block Size")),
        grid_(header.find("Grid Size")) {
    value_ = header.at(count_ && !header.has(value_column) ? mean_column : value_column);
    if (!count_) return;
    id_ = count_;
    least_ = header.find(least_column);
    most_ = header.find(most_column);
  }
  /// Lines with advice of rules have more cells than those with metrics, which ncu ends early.
  std::size_t least_cells() const {
    return std::max({kernel_, metric_, unit_, value_, least_.value_or(0), most_.value_or(0)}) + 1;
  }

  void take(const std::vector<std::string>& cells, int line) {
    launches_.see(cells[value_], line);
    const Known& metric = known(cells[metric_], cells[unit_], line);
    open(cells, line, metric.index);
    if (metric.index) launches_.add(launch_, *metric.index, metric.factor, cells[value_], line);
    const auto add = [&](std::optional<std::size_t> extreme, std::optional<std::size_t> at) {
      if (!extreme) return;
      launches_.see(cells[*at], line);
      launches_.add(launch_, *extreme, metric.factor, cells[*at], line);
    };
    add(metric.shortest, least_);
    add(metric.longest, most_);
  }

 private:
  struct Known {
    std::optional<std::size_t> index;  ///< of a metric that is used
    double factor{1};
    std::optional<std::size_t> shortest, longest;  ///< of one that is a time, in a summary
  };
  /// All launches have the same metrics.
  const Known& known(const std::string& name, const std::string& unit, int line) {
    last_metric_.assign(name).append(1, '\n').append(unit);
    const auto [place, added] = known_.try_emplace(last_metric_);
    if (!added) return place->second;
    const NcuMetric metric = ncu_metric(name, unit, line);
    if (metric.quantity != NcuQuantity::none)
      place->second = {launches_.metric(name, metric.quantity), metric.factor, {}, {}};
    if (metric.quantity == NcuQuantity::time && least_ && most_) {
      place->second.shortest = launches_.metric(fmt::format("{} {}", name, least_column), NcuQuantity::shortest);
      place->second.longest = launches_.metric(fmt::format("{} {}", name, most_column), NcuQuantity::longest);
    }
    return place->second;
  }

  /// A file without the number of the launch begins another with another kernel, and where a metric comes again.
  void open(const std::vector<std::string>& cells, int line, std::optional<std::size_t> metric) {
    const std::array key{cell(cells, process_), cell(cells, id_), cell(cells, block_), cell(cells, grid_)};
    const std::string& kernel = cells[kernel_];
    if (opened_ && kernel == last_kernel_ && std::ranges::equal(key, last_key_)) {
      if (id_ || !metric || !launches_.has(launch_, *metric)) return;
    }
    double count = 1;
    if (count_) count = launches_.number(cells[*count_], line).value_or(0);
    if (!(count > 0)) fail_at(line, "{} is '{}'", count_column, cells[*count_]);
    std::ranges::copy(key, last_key_.begin());
    last_kernel_ = kernel;
    opened_ = true;
    const auto of_key = [&] { return fmt::format("{}{}", fmt::join(key, "/"), count_ ? kernel : ""); };
    launch_ = id_ ? launches_.launch_of(of_key(), kernel, count) : launches_.launch(kernel, count);
  }

  NcuLaunches& launches_;
  std::size_t kernel_, metric_, unit_, value_{}, launch_{};
  std::optional<std::size_t> id_, process_, count_, block_, grid_, least_, most_;
  bool opened_{};
  std::array<std::string, 4> last_key_;
  std::string last_kernel_, last_metric_;
  std::unordered_map<std::string, Known> known_;
};

/// One line a launch.
class WideForm {
 public:
  WideForm(const Header& header, NcuLaunches& launches)
      : launches_(launches),
        kernel_(header.at(kernel_column)),
        id_(header.find("ID")),
        process_(header.find("Process ID")) {
    for (std::size_t i = 0; i < header.names.size(); ++i) columns_.push_back({i, header.names[i]});
    std::vector<std::string> in_names(columns_.size());
    for (Column& one : columns_) {  // Nsight Compute's window exports "gpu__time_duration.sum [us]"
      const auto open = one.name.rfind(" [");
      if (open == one.name.npos || !one.name.ends_with(']')) continue;
      in_names[one.at] = one.name.substr(open + 2, one.name.size() - open - 3);
      one.name.resize(open);
      units_in_names_ = true;
    }
    if (units_in_names_) units(in_names, 1);
  }
  /// Whether a line is that with the units, which has no kernel.
  bool is_units(const std::vector<std::string>& cells) const {
    return needs_units_ && cells[kernel_].empty() && cell(cells, id_).empty();
  }
  /// A table of the same columns follows, with units of its own.
  void begin_table() { needs_units_ = !units_in_names_; }
  void units(const std::vector<std::string>& cells, int line) {
    needs_units_ = false;
    used_.clear();
    for (Column& one : columns_) {
      const NcuMetric metric = ncu_metric(one.name, cells[one.at], line);
      if (metric.quantity == NcuQuantity::none) continue;
      used_.push_back({one.at, one.name, launches_.metric(one.name, metric.quantity), metric.factor});
    }
  }
  void take(const std::vector<std::string>& cells, int line) {
    if (needs_units_) fail_at(line, "the line with the units is missing above it");
    const std::string key = fmt::format("{}/{}", cell(cells, process_), cell(cells, id_));
    const std::size_t launch = id_ ? launches_.launch_of(key, cells[kernel_]) : launches_.launch(cells[kernel_]);
    for (const Column& one : used_) {
      launches_.see(cells[one.at], line);
      launches_.add(launch, one.metric, one.factor, cells[one.at], line);
    }
  }

 private:
  struct Column {
    std::size_t at;
    std::string name;
    std::size_t metric{};
    double factor{1};
  };
  NcuLaunches& launches_;
  std::size_t kernel_;
  std::optional<std::size_t> id_, process_;
  std::vector<Column> columns_, used_;
  bool needs_units_{true}, units_in_names_{};
};

/// Whether the number of quotes is even: every cell that opens closes. All of a profile goes through it, and without a
/// branch or a wider number the compiler looks at 16 bytes at a time.
bool have_pairs(std::string_view line) {
  unsigned char odd = 0;
  for (const char c : line) odd = static_cast<unsigned char>(odd ^ static_cast<unsigned char>(c == '"'));
  return odd == 0;
}

/// Reads the lines of a file one by one.
class Reader {
 public:
  void take(std::string_view line, int number) {
    if (open_.empty()) {
      if (auto found = header_of(line, number)) return begin(std::move(*found), number);
      if (!header_ || !may_be_cells(line)) return;
    }
    const bool pairs = have_pairs(line);
    if (open_.empty() ? !pairs : pairs) {  // advice of rules has line breaks within its quotes
      if (open_.empty()) opened_at_ = number;
      open_.append(line).push_back('\n');
      return;
    }
    const bool several_lines = !open_.empty();
    read_cells(several_lines ? open_.append(line) : line, several_lines ? opened_at_ : number, cells_,
               header_->separator);
    open_.clear();
    take_cells(number);
  }

  std::optional<Contents> finish() {
    if (!open_.empty()) read_cells(open_, opened_at_, cells_, header_->separator);  // which says that it was cut off
    if (!header_) return {};
    return launches_.take();
  }

 private:
  void begin(Header found, int number) {
    if (header_ && found.names != header_->names)
      fail_at(number, "other columns than those of the table before it: import them as two files");
    launches_.begin_table();
    if (header_) {
      if (wide_) wide_->begin_table();
      return;
    }
    header_ = std::move(found);
    if (header_->has(metric_column))
      long_.emplace(*header_, launches_);
    else
      wide_.emplace(*header_, launches_);
    id_ = header_->find(header_->has("ID") ? "ID" : "Process ID");
    device_ = header_->find("Device");
    capability_ = header_->find("CC");
  }

  /// Lines of the program and of ncu ("==PROF== …") stand between those of the table.
  bool may_be_cells(std::string_view line) const {
    if (line.empty() || line.starts_with("==")) return false;
    if (!header_->quoted) return line.find(header_->separator) != line.npos;
    const bool number_first = line.size() > 2 && line[0] == '"' && line[1] >= '0' && line[1] <= '9';
    const bool units = wide_ && line.starts_with("\"\"");
    const bool text_first = id_ != std::size_t{0} && line[0] == '"';
    return number_first || units || text_first;
  }

  bool is_units() const { return wide_ && cells_.size() == header_->names.size() && wide_->is_units(cells_); }
  static bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
  }

  void take_cells(int number) {
    const std::size_t columns = header_->names.size(), least = long_ ? long_->least_cells() : columns;
    if (!header_->quoted && id_ && !is_number(cell(cells_, id_)) && !is_units()) return;  // of the program
    if (cells_.size() < least || cells_.size() > columns + (long_ ? 1 : 0))
      fail_at(number,
              "{} cells, the table has {} columns: the file was cut off, or numbers with commas lost their quotes",
              cells_.size(), columns);
    if (is_units()) return wide_->units(cells_, number);
    const std::string_view device = cell(cells_, device_), capability = cell(cells_, capability_);
    if (!device.empty()) launches_.on_device(device, number);
    if (!capability.empty()) launches_.of_capability(capability);
    long_ ? long_->take(cells_, number) : wide_->take(cells_, number);
  }

  NcuLaunches launches_;
  std::optional<Header> header_;
  std::optional<LongForm> long_;
  std::optional<WideForm> wide_;
  std::optional<std::size_t> id_, device_, capability_;
  std::string open_;  ///< a record that goes on in the next line
  int opened_at_{};
  std::vector<std::string> cells_;
};

/// What ncu says that it did instead of writing a table.
struct Excuse {
  std::string_view says, means;
};
constexpr std::array excuses{
    Excuse{no_permission,
           "ncu was not allowed to read the GPU's counters (ERR_NVGPUCTRPERM), so there are no figures: an "
           "administrator loads the driver with NVreg_RestrictProfilingToAdminUsers=0, or runs the profile"},
    Excuse{"==WARNING== No kernels were profiled",
           "ncu says that no kernel was profiled: none was launched, or its filters (--kernel-name, --launch-skip …) "
           "left out all"},
    Excuse{"Context ",
           "what ncu prints for people: call it with --csv --page raw, or make that of its report: ncu --import "
           "FILE.ncu-rep --csv --page raw > FILE.csv"},
    Excuse{"==ERROR== ", "ncu profiled nothing: "},
    Excuse{"Report: ",
           "what ncu says while it writes a report: make a table of that: ncu --import FILE.ncu-rep --csv --page raw > "
           "FILE.csv"},
};

Contents read(const Source& source, const Target&) {
  Reader reader;
  for_each_line(source.text, [&](std::string_view line, int number) { reader.take(line, number); });
  if (auto contents = reader.finish()) return std::move(*contents);
  for (const Excuse& excuse : excuses) {
    const auto at = source.text.find(excuse.says);
    if (at == source.text.npos) continue;
    std::string said(excuse.means);
    if (said.ends_with(": "))  // in its own words
      said += source.text.substr(at, std::min(source.text.find('\n', at) - at, std::size_t{200}));
    throw Error(said);
  }
  throw Error("ncu profiled no kernel and wrote no table: call it with --csv and --page raw");
}

}  // namespace

const Format ncu{"Nsight Compute CSV", "ncu", &recognises, &read, &work_of_nvidia_counters, WrittenAs::checked_lines};

}  // namespace gable::interchange
