#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// NVIDIA Nsight Compute: `ncu --csv`, in its long form (`--page details`, a line a metric) and its wide form
/// (`--page raw`, a line a launch, units in the second line). Metrics: "Kernel Profiling Guide" of Nsight Compute.
namespace gable::interchange {
namespace {

constexpr std::string_view no_permission = "ERR_NVGPUCTRPERM";
constexpr std::string_view duration = "gpu__time_duration.sum";

bool recognises(std::string_view text) {
  return early_line_has(text, {"\"ID\"", "\"Process ID\"", "\"Kernel Name\""}) ||
         early_line_has(text, {no_permission}) || early_line_has(text, {"==PROF=="});
}

/// The same traffic by two names: the sum, and its parts.
constexpr std::array<std::string_view, 5> byte_counters{
    "dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_bytes.sum", "l1tex__t_bytes.sum"};

bool is_time(std::string_view metric) { return metric == duration || metric == "Duration"; }
bool is_bytes(std::string_view metric) { return std::ranges::count(byte_counters, metric) > 0; }
bool is_used(std::string_view metric) {
  return is_time(metric) || is_bytes(metric) || is_nvidia_instruction_counter(metric);
}

/// What a unit of the file is in s, byte or instructions.
double factor_of(std::string_view metric, std::string_view unit, int line) {
  const auto factor = is_time(metric)    ? unit_factor(unit, "second")
                      : is_bytes(metric) ? unit_factor(unit, "byte")
                                         : std::optional<double>(1);
  if (factor && (is_time(metric) || is_bytes(metric) || unit.empty() || unit == "inst")) return *factor;
  if (factor && !is_time(metric) && !is_bytes(metric)) {
    constexpr std::array<std::pair<std::string_view, double>, 4> prefixes{
        {{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}};
    for (const auto& [prefix, times] : prefixes) {
      if (unit == fmt::format("{}inst", prefix)) return times;
    }
  }
  throw Error(fmt::format("line {}: metric {} has the unit '{}', which is not known here", line, metric, unit));
}

/// A figure as the file has it: what the separators mean is known only when all of the file was seen.
struct Figure {
  std::size_t launch, metric;  ///< their indices
  double factor;
  int line;
  std::string text;
};

/// Collects the launches of a file, whose lines come in either form.
class Launches {
 public:
  std::size_t metric(const std::string& name) {
    const auto [place, added] = metrics_.try_emplace(name, names_.size());
    if (added) {
      names_.push_back(name);
      is_time_.push_back(is_time(name));
    }
    return place->second;
  }
  std::size_t launch(const std::string& kernel) {
    kernel_of_.push_back(contents_.kernels.kernel_index(kernel));
    return kernel_of_.size() - 1;
  }
  /// The compute capability of the GPU, "9.0".
  void of_capability(const std::string& text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), capability_);
    if (error != std::errc{} || end != text.data() + text.size()) capability_ = 0;
  }
  void see(std::string_view text, int line) { numbers_.see(text, line); }
  /// The GPU that a line is of.
  void on_device(const std::string& device, int line) {
    if (device_.empty()) device_ = device;
    if (device != device_)
      throw Error(fmt::format("line {}: device {} after device {}: profile one GPU a file", line, device, device_));
  }
  void add(std::size_t launch, std::size_t metric, double factor, std::string text, int line) {
    figures_.push_back({launch, metric, factor, line, std::move(text)});
  }

  Contents take() {
    if (kernel_of_.empty()) throw Error("no kernel was profiled: the file has no line with figures");
    if (names_.empty())
      throw Error("none of the metrics that a roofline needs is in it: docs/interchange.md has the call of ncu");
    refuse_cut_file();
    for (const std::size_t index : kernel_of_) {
      Kernel& kernel = kernel_at(index);
      kernel.calls += 1;
      kernel.launches += 1;
      kernel.capability = capability_;
    }
    const std::vector<double> values = values_by_launch();
    std::vector<std::size_t> counters;
    for (const std::string& name : names_) counters.push_back(is_time(name) ? 0 : contents_.kernels.counter(name));
    for (std::size_t launch = 0; launch < kernel_of_.size(); ++launch) {
      Kernel& kernel = kernel_at(kernel_of_[launch]);
      double seconds = std::nan("");
      for (std::size_t metric = 0; metric < names_.size(); ++metric) {
        const double value = values[launch * names_.size() + metric];
        if (std::isnan(value)) continue;
        if (is_time_[metric])
          seconds = value;
        else
          contents_.kernels.add(kernel, counters[metric], value);
      }
      if (std::isnan(seconds))
        throw Error(fmt::format("kernel '{:.80}' has no time: profile it with {} too", kernel.name, duration));
      kernel.seconds += seconds;
    }
    return std::move(contents_);
  }

 private:
  Kernel& kernel_at(std::size_t index) { return contents_.kernels.kernels()[index]; }

  /// What was counted, launch by launch and in each in the order of the metrics, in s, byte and instructions; NaN where
  /// nothing was.
  std::vector<double> values_by_launch() const {
    std::vector<double> values(kernel_of_.size() * names_.size(), std::nan(""));
    for (const Figure& figure : figures_) {
      const auto value = numbers_.value(figure.text, figure.line);
      if (!value) continue;
      if (*value < 0)
        throw Error(fmt::format("line {}: {} is negative: {}", figure.line, names_[figure.metric], figure.text));
      const double scaled = *value * figure.factor;
      double& place = values[figure.launch * names_.size() + figure.metric];
      if (!std::isnan(place) && place != scaled)  // several sections of a page have the same metric
        throw Error(fmt::format("line {}: {} of one launch is there twice, with different figures", figure.line,
                                names_[figure.metric]));
      place = scaled;
    }
    return values;
  }

  /// ncu writes the same metrics for every launch: a last one with fewer was cut off.
  void refuse_cut_file() {
    std::vector<std::size_t> counts(kernel_of_.size());
    for (const Figure& figure : figures_) ++counts[figure.launch];
    if (counts.size() > 1 && counts.back() < counts[counts.size() - 2])
      throw Error(
          fmt::format("the last kernel, '{:.80}', has {} of the metrics and the one before it {}: the file was cut off",
                      kernel_at(kernel_of_.back()).name, counts.back(), counts[counts.size() - 2]));
  }

  Contents contents_;
  Numbers numbers_;
  std::map<std::string, std::size_t, std::less<>> metrics_;
  std::vector<std::string> names_;      ///< of the metrics
  std::vector<bool> is_time_;           ///< of each
  std::vector<std::size_t> kernel_of_;  ///< index of the kernel of each launch
  std::string device_;
  double capability_{};
  std::deque<Figure> figures_;
};

/// One line a metric.
class LongForm {
 public:
  LongForm(const std::vector<std::string>& header, Launches& launches) : launches_(launches) {
    const auto at = [&](std::string_view name) { return column(header, name); };
    id_ = at("ID"), process_ = at("Process ID"), kernel_ = at("Kernel Name"), metric_ = at("Metric Name");
    unit_ = at("Metric Unit"), value_ = at("Metric Value");
  }
  void take(const std::vector<std::string>& cells, int line) {
    const std::string& value = cells[value_];
    launches_.see(value, line);
    if (!is_used(cells[metric_])) {
      open(cells);
      return;
    }
    open(cells);
    launches_.add(launch_, launches_.metric(cells[metric_]), factor_of(cells[metric_], cells[unit_], line), value,
                  line);
  }
  static std::size_t column(const std::vector<std::string>& header, std::string_view name) {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) throw Error(fmt::format("column '{}' is missing", name));
    return static_cast<std::size_t>(found - header.begin());
  }

 private:
  void open(const std::vector<std::string>& cells) {
    if (opened_ && cells[id_] == last_id_ && cells[process_] == last_process_) return;
    launch_ = launches_.launch(cells[kernel_]);
    opened_ = true;
    last_id_ = cells[id_];
    last_process_ = cells[process_];
  }

  Launches& launches_;
  std::size_t id_, process_, kernel_, metric_, unit_, value_, launch_{};
  bool opened_{};
  std::string last_id_, last_process_;
};

/// One line a launch.
class WideForm {
 public:
  WideForm(const std::vector<std::string>& header, Launches& launches) : launches_(launches) {
    kernel_ = LongForm::column(header, "Kernel Name");
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (is_used(header[i])) used_.push_back({i, header[i], launches.metric(header[i]), 1});
    }
  }
  bool needs_units() const { return needs_units_; }
  /// A table of the same columns follows, with units of its own.
  void begin_table() { needs_units_ = true; }
  void units(const std::vector<std::string>& cells, int line) {
    needs_units_ = false;
    for (Column& column : used_) column.factor = factor_of(column.name, cells[column.at], line);
  }
  void take(const std::vector<std::string>& cells, int line) {
    const std::size_t launch = launches_.launch(cells[kernel_]);
    for (const Column& column : used_) {
      launches_.see(cells[column.at], line);
      launches_.add(launch, column.metric, column.factor, cells[column.at], line);
    }
  }

 private:
  struct Column {
    std::size_t at;
    std::string name;
    std::size_t metric;
    double factor;
  };
  Launches& launches_;
  std::size_t kernel_;
  std::vector<Column> used_;
  bool needs_units_{true};
};

/// Lines of figures begin with the number of the launch; the units' line with an empty cell; all others are of the
/// program or of ncu ("==PROF== …").
bool has_figures(std::string_view line) {
  return line.size() > 2 && line[0] == '"' && line[1] >= '0' && line[1] <= '9' && line.find("\",\"") != line.npos;
}

/// Whether the number of quotes is even: every cell that opens closes. All of a profile goes through it, and without a
/// branch or a wider number the compiler looks at 16 bytes at a time.
bool have_pairs(std::string_view line) {
  unsigned char odd = 0;
  for (const char c : line) odd = static_cast<unsigned char>(odd ^ static_cast<unsigned char>(c == '"'));
  return odd == 0;
}

Contents read(const Source& source, const Target&) {
  Launches launches;
  std::vector<std::string> header, cells;
  std::ptrdiff_t device = 0, capability = 0;  // their columns; behind the last where there is none
  std::optional<LongForm> long_form;
  std::optional<WideForm> wide_form;
  std::string open;  // a record that goes on in the next line: advice of rules has line breaks within its quotes
  int opened_at = 0;
  for_each_line(source.text, [&](std::string_view line, int number) {
    if (open.empty() && line.starts_with("\"ID\",")) {
      std::vector<std::string> names;
      read_cells(line, number, names);
      if (!header.empty() && names != header)
        throw Error(
            fmt::format("line {}: other columns than those of the table before it: import them as two files", number));
      if (!header.empty()) {
        if (wide_form) wide_form->begin_table();
        return;
      }
      device = std::ranges::find(names, "Device") - names.begin();
      capability = std::ranges::find(names, "CC") - names.begin();
      header = std::move(names);
      if (std::ranges::count(header, "Metric Name") > 0)
        long_form.emplace(header, launches);
      else
        wide_form.emplace(header, launches);
      return;
    }
    const bool units = open.empty() && wide_form && wide_form->needs_units() && line.starts_with("\"\",");
    if (header.empty() || !(units || !open.empty() || has_figures(line))) return;
    const bool quotes_pair = have_pairs(line);
    if (open.empty() ? !quotes_pair : quotes_pair) {
      if (open.empty()) opened_at = number;
      open.append(line).push_back('\n');
      return;
    }
    const bool several_lines = !open.empty();
    read_cells(several_lines ? open.append(line) : line, several_lines ? opened_at : number, cells);
    open.clear();
    if (cells.size() != header.size())
      throw Error(fmt::format("line {}: {} cells, the table has {} columns: the file was cut off", number, cells.size(),
                              header.size()));
    if (units) return wide_form->units(cells, number);
    if (wide_form && wide_form->needs_units())
      throw Error(fmt::format("line {}: the line with the units is missing above it", number));
    if (device < std::ssize(cells)) launches.on_device(cells[static_cast<std::size_t>(device)], number);
    if (capability < std::ssize(cells)) launches.of_capability(cells[static_cast<std::size_t>(capability)]);
    long_form ? long_form->take(cells, number) : wide_form->take(cells, number);
  });
  if (!open.empty()) read_cells(open, opened_at, cells);  // which says that it was cut off
  if (header.empty()) {
    if (source.text.find(no_permission) != source.text.npos)
      throw Error(
          "ncu was not allowed to read the GPU's counters (ERR_NVGPUCTRPERM), so there are no figures: an "
          "administrator "
          "loads the driver with NVreg_RestrictProfilingToAdminUsers=0, or runs the profile");
    throw Error("ncu wrote no table: call it with --csv and --page raw");
  }
  return launches.take();
}

}  // namespace

const Format ncu{"Nsight Compute CSV", "ncu", &recognises, &read, &work_of_nvidia_counters};

}  // namespace gable::interchange
