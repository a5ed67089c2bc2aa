#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"
#include "core/sequence.hpp"
#include "core/text/lower.hpp"

/// Intel Advisor: the roofline and the survey of its loops and functions as CSV, a line each. Its operations are of all
/// types together. The survey of the command line has names as its window shows them ("Self GFLOP", "28.970s"; "GFLOP"
/// before 2018), the Python interface has "self_gflop". The roofs that it measured, `--report=roofs --format=csv`, are
/// in byte/s and flop/s; their names say all else: "Scalar L1 bandwidth (single-threaded)", "DP Vector FMA Peak".
namespace gable::interchange {
namespace {

/// The latter is the loop's function where the former is there, too.
constexpr std::string_view call_site = "function_call_sites_and_loops", loop = "loop_name";
constexpr std::string_view shown_call_site = "Function Call Sites and Loops";
constexpr std::string_view part_of_a_loop = "[child]";
constexpr std::string_view operations = "self_gflop";
/// As they are called, and as they were before 2018.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> columns_used{
    {{operations, "gflop"}, {"self_memory_gb", "l1_gb"}, {"self_l2_gb", ""}, {"self_l3_gb", ""}, {"self_dram_gb", ""}}};
constexpr std::string_view how_to_report =
    "advisor --report=survey --format=csv --show-all-columns --report-output=FILE.csv";

bool recognises(std::string_view text) {
  return early_line_has(text, {{"self_gflop", loop}, {"self_gflop", call_site}, {shown_call_site, "Self Time"}});
}

/// "Self L2 GB" as "self_l2_gb".
std::string plain_name(std::string_view shown) {
  std::string name = lower(shown);
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// The table from the line with the names of its columns on; lines above it are the tool's.
std::string_view table_in(std::string_view text) {
  const auto column = std::min(text.find(shown_call_site), text.find("self_gflop"));
  const auto begin = text.rfind('\n', column);
  return text.substr(begin == text.npos ? 0 : begin + 1);
}

/// "28.970s" without the unit; nothing of "< 0.001", which is rounded away, and of -1, which older ones write of what
/// they do not know.
std::string_view figure_in(std::string_view text) {
  text = trimmed(text);
  if (text.ends_with('s')) text.remove_suffix(1);
  return text.starts_with('<') || text == "-1" ? std::string_view() : text;
}

/// A counter and its column.
using NamedColumns = std::vector<std::pair<std::string, std::size_t>>;

/// The columns that count: caches and memory were not simulated where they are 0 in every row.
NamedColumns counted_columns(const Sheet& sheet, const NamedColumns& columns, const Numbers& numbers,
                             std::vector<std::string>& notes) {
  NamedColumns counted;
  std::string zeros;
  for (const auto& [column, at] : columns) {
    bool any = column == operations;
    for (const CsvRecord& row : sheet) any = any || numbers.value(figure_in(row.cells[at]), row.line).value_or(0) > 0;
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

/// Gathers rows to loops. A loop that the compiler split has a row, and below it one of each part (body, remainder):
/// since 2018 its own row holds their sums; before, it holds nothing, and the loop is the sum of its parts.
class Loops {
 public:
  Loops(Contents& contents, const Numbers& numbers, const NamedColumns& columns)
      : contents_(contents), numbers_(numbers), columns_(columns), sums_(columns.size()) {}

  void take(const CsvRecord& row, std::size_t name, std::size_t time) {
    const bool is_part = trimmed(row.cells[name]).starts_with(part_of_a_loop);
    if (!is_part) begin(trimmed(row.cells[name]));
    if (is_part && (whole_ || name_.empty())) {
      ++parts_left_out_;
      return;
    }
    const double seconds = numbers_.value(figure_in(row.cells[time]), row.line).value_or(0);
    whole_ = !is_part && seconds > 0;
    if (!is_part && !whole_) return;
    seconds_ += seconds;
    parts_summed_ += is_part ? 1 : 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto value = numbers_.value(figure_in(row.cells[columns_[i].second]), row.line);
      if (value) sums_[i] = sums_[i].value_or(0) + *value * 1e9;
    }
  }

  void finish() {
    begin({});
    const auto note = [&](int rows, const char* what) {
      if (rows > 0) say(contents_.notes, "{} {}", rows, what);
    };
    note(without_time_, "loops without a time of their own were left out");
    note(parts_left_out_, "rows ([child]) are parts of their loops and left out");
    note(parts_summed_, "rows ([child]) are the parts of loops that have no figures of their own, and were added up");
    if (contents_.kernels.kernels().empty()) throw Error("no loop has a time");
  }

 private:
  /// Ends the loop before it.
  void begin(std::string_view name) {
    if (seconds_ > 0) {
      Kernel& kernel = contents_.kernels.kernel(name_);
      kernel.calls = 1;  // the report has sums over all trips, not how often a loop was entered
      kernel.seconds += seconds_;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (sums_[i]) contents_.kernels.add(kernel, columns_[i].first, *sums_[i]);
      }
    } else if (!name_.empty()) {
      ++without_time_;
    }
    name_ = name;
    seconds_ = 0;
    sums_.assign(columns_.size(), {});
  }

  Contents& contents_;
  const Numbers& numbers_;
  const NamedColumns& columns_;
  std::string name_;
  double seconds_{};
  std::vector<std::optional<double>> sums_;
  bool whole_{};  ///< the loop's own row has its figures
  int without_time_{}, parts_left_out_{}, parts_summed_{};
};

Contents read(const Source& source, const Target&) {
  const std::string_view table = table_in(source.text);
  if (first_line(table).find(',') == std::string_view::npos)
    throw Error(fmt::format("Advisor's report without commas between its columns: write a table ({})", how_to_report));
  Contents contents;
  const Sheet sheet(table);
  const auto names = mapped(sheet.names(), plain_name);
  const auto first_of = [&](std::initializer_list<std::string_view> known) {
    std::optional<std::size_t> found;
    for (const std::string_view one : known) found = found ? found : index_of(names, one);
    return found;
  };
  const auto name = first_of({call_site, loop});
  const auto elapsed = first_of({"self_elapsed_time", "elapsed_time"});
  const std::size_t time = elapsed ? *elapsed : column_of(names, "self_time");
  if (!name) column_of(names, call_site);
  NamedColumns columns;
  for (const auto& [column, before_2018] : columns_used) {
    if (const auto at = first_of({column, before_2018})) columns.emplace_back(column, *at);
  }
  if (columns.empty() || columns.front().first != operations)
    throw Error(fmt::format(
        "Advisor's survey without operations: collect them (advisor --collect=tripcounts --flop) and report again, {}",
        how_to_report));
  Numbers numbers;
  for (const CsvRecord& row : sheet) {
    numbers.see(figure_in(row.cells[time]), row.line);
    for (const auto& [column, at] : columns) numbers.see(figure_in(row.cells[at]), row.line);
  }
  columns = counted_columns(sheet, columns, numbers, contents.notes);
  if (!elapsed) contents.notes.emplace_back("times are Self Time, the sum over all threads: no elapsed time is there");
  Loops loops(contents, numbers, columns);
  for (const CsvRecord& row : sheet) loops.take(row, *name, time);
  loops.finish();
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

constexpr std::string_view columns_of_roofs = "Name,Bandwidth,Type";

bool recognises_roofs(std::string_view text) { return early_line_has(text, {{columns_of_roofs}}); }

Ceiling roof_of(const std::string& name, double value, bool of_memory, const Target& target) {
  const auto bracket = std::min(name.find(" ("), name.size());
  const std::string_view label = std::string_view(name).substr(0, bracket);
  std::vector<std::string_view> variant;
  for (const std::string_view word : {"Scalar", "FMA", "Add"}) {
    if (label_has(label, word) && (of_memory || word != "Scalar")) variant.push_back(word);
  }
  if (bracket < name.size()) {
    const std::string_view inside = std::string_view(name).substr(bracket + 2);
    variant.push_back(inside.substr(0, inside.find(')')));
  }
  std::string_view level = label.starts_with("Scalar ") ? label.substr(label.find(' ') + 1) : label;
  level = level.substr(0, level.find(' '));
  const auto dtype = type_in_label(label);
  Ceiling row = of_memory ? ceiling_of(CeilingKind::bandwidth,
                                       level == "DRAM" ? target.main_memory() : std::string(level), value, name)
                : dtype   ? compute_ceiling(unit_in_label(label), *dtype, {}, value, name)
                          : ceiling_of(CeilingKind::compute, std::string(label), value, name);
  row.variant = fmt::format("{}", fmt::join(variant, ", "));
  return row;
}

Contents read_roofs(const Source& source, const Target& target) {
  const Sheet sheet(std::string_view(source.text).substr(source.text.find(columns_of_roofs)));
  const std::size_t name = sheet.column("Name"), figure = sheet.column("Bandwidth"), type = sheet.column("Type");
  Numbers numbers;
  for (const CsvRecord& row : sheet) numbers.see(row.cells[figure], row.line);
  Contents contents;
  int integer = 0;
  for (const CsvRecord& row : sheet) {
    const std::string_view label = trimmed(row.cells[name]);
    if (label.starts_with("Int")) {
      ++integer;
      continue;
    }
    const auto value = numbers.value(row.cells[figure], row.line);
    if (value)
      contents.ceilings.push_back(roof_of(std::string(label), *value, trimmed(row.cells[type]) == "memory", target));
  }
  if (integer > 0) say(contents.notes, "{} peaks of integers, whose operations are not told, are left out", integer);
  if (contents.ceilings.empty()) throw Error("no roof has a figure");
  return contents;
}

}  // namespace

const Format advisor{"Intel Advisor CSV", "advisor", &recognises, &read, &work_of, WrittenAs::table, NamesOf::regions};
const Format advisor_roofs{"Intel Advisor roofs", "advisor", &recognises_roofs, &read_roofs, nullptr, WrittenAs::table};

}  // namespace gable::interchange
