#include "core/questions/interchange/likwid_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/questions/interchange/sheet.hpp"
#include "core/sequence.hpp"

namespace gable::interchange {
namespace {

constexpr double most_rows = 1e6;  ///< of a table: no group has as many metrics
enum class TableKind { none, raw, metrics, statistics };

/// What a line above a table says of it: its region, and with CSV its kind and how many lines it has.
struct TableHead {
  LikwidRegion region;
  TableKind kind{TableKind::none};
  std::optional<std::size_t> rows;
};

void set_region(LikwidRegion& region, std::string_view text) {
  constexpr std::string_view prefix = "Region ";
  if (text.starts_with(prefix)) region.name = text.substr(prefix.size());
}

/// Of "TABLE,Region triad,Group 1 Metric STAT,MEM_DP,13,,": nothing of another line.
std::optional<TableHead> head_of(const std::vector<std::string>& cells, int number) {
  if (cells.size() < 3 || cells[0] != "TABLE") return {};
  TableHead head;
  std::size_t at = 1;
  if (cells[at].starts_with("Region ")) set_region(head.region, cells[at++]);
  if (at + 1 >= cells.size() || !cells[at].starts_with("Group ")) return {};
  const bool metrics = cells[at].find(" Metric") != std::string::npos;
  head.kind = cells[at].ends_with(" STAT") ? TableKind::statistics : metrics ? TableKind::metrics : TableKind::raw;
  head.region.id = cells[at].substr(0, cells[at].find(' ', std::string_view("Group ").size()));
  head.region.group = cells[at + 1];
  head.region.line = number;
  if (at + 2 < cells.size())
    head.rows =
        static_cast<std::size_t>(std::clamp(Numbers().value(cells[at + 2], number).value_or(0), 0.0, most_rows));
  return head;
}

/// Of "Region triad, Group 1: MEM_DP" and "Group 1: MEM_DP", which stand above tables drawn with lines.
std::optional<TableHead> drawn_head_of(std::string_view line, int number) {
  const auto group = line.starts_with("Group ") ? 0 : line.rfind(", Group ");
  const auto colon = group == line.npos ? line.npos : line.find(": ", group);
  if (colon == line.npos || (group > 0 && !line.starts_with("Region "))) return {};
  TableHead head;
  if (group > 0) set_region(head.region, line.substr(0, group));
  const std::string_view id = line.substr(group == 0 ? 0 : group + 2);
  head.region.id = id.substr(0, id.find(':'));
  head.region.group = trimmed(line.substr(colon + 1));
  head.region.line = number;
  return head;
}

/// Half a unit of the last digit that is written, over the value. Whole numbers are exact, "0.0000" says nothing.
Rounded rounded(double value, std::string_view text) {
  const auto point = text.find_first_of(".,");
  if (point == text.npos) return {value, 0};
  if (value == 0) return {0, std::numeric_limits<double>::infinity()};
  const auto exponent = std::min(text.find_first_of("eE"), text.size());
  const auto digits = static_cast<int>(exponent - point) - 1;
  double scale = 0.5;
  for (int i = 0; i < digits; ++i) scale /= 10;
  if (exponent < text.size()) {
    const auto power = Numbers().value(text.substr(exponent + 1), 0);
    scale *= std::pow(10.0, power.value_or(0));
  }
  return {value, std::abs(scale / value)};
}

/// Reads the lines of a text one after the other, in either form.
class Tables {
 public:
  void take(std::string_view line, int number) {
    const bool drawn = line.starts_with('|') || line.starts_with("+-");
    if (const auto head = drawn ? std::nullopt : drawn_head_of(line, number)) {
      begin(*head);
      return;
    }
    if (!drawn && line.find(',') == line.npos) return;  // of the program
    if (drawn) {
      is_open_ = head_ && line.starts_with('|');
      if (line.starts_with('|')) take_cells(drawn_cells(line), number, true);
      return;
    }
    std::vector<std::string> cells;
    if (!head_ && !line.starts_with("TABLE,")) return;
    read_cells(line, number, cells);
    while (cells.size() > 1 && cells.back().empty()) cells.pop_back();
    if (cells[0] == "STRUCT") {
      head_.reset();
    } else if (const auto head = head_of(cells, number)) {
      begin(*head);
    } else {
      take_cells(cells, number, false);
    }
  }

  std::vector<LikwidRegion> finish() {
    const bool lacks_rows = head_ && head_->rows.value_or(0) > 0 && head_->kind != TableKind::statistics;
    if (lacks_rows) fail_at(head_->region.line, "the table lacks {} of its lines: the file was cut off", *head_->rows);
    if (is_open_) fail_at(last_line_, "the table has no end: the file was cut off");
    for (Pending& one : pending_) {
      LikwidValues& line = list_of(one.kind, regions_[one.region]).emplace_back();
      line.name = one.name;
      line.counter = one.counter;
      for (const std::string& text : one.texts) {
        line.broken = line.broken || text == "nan" || text == "-nan";
        const auto value = numbers_.value(text, one.line);
        line.values.push_back(value ? std::optional(rounded(*value, text)) : std::nullopt);
      }
    }
    return std::move(regions_);
  }

 private:
  enum class List { info, events, metrics };
  struct Pending {
    std::size_t region;
    List kind;
    std::string name, counter;
    std::vector<std::string> texts;
    int line;
  };

  static std::vector<LikwidValues>& list_of(List list, LikwidRegion& region) {
    return list == List::info ? region.info : list == List::events ? region.events : region.metrics;
  }

  static std::vector<std::string> drawn_cells(std::string_view line) {
    std::vector<std::string> cells;
    for (std::size_t at = 1; at < line.size();) {
      const auto end = std::min(line.find('|', at), line.size());
      cells.emplace_back(trimmed(line.substr(at, end - at)));
      at = end + 1;
    }
    return cells;
  }

  /// A table of metrics belongs to the raw one of the same region and group above it.
  void begin(const TableHead& head) {
    head_ = head;
    threads_ = 0;
    if (head.kind == TableKind::statistics) return;
    const bool goes_on = head.kind == TableKind::metrics && !regions_.empty() && !has_metrics_ &&
                         regions_.back().name == head.region.name && regions_.back().group == head.region.group;
    if (!goes_on) {
      regions_.push_back(head.region);
      has_metrics_ = false;
    }
    has_metrics_ = has_metrics_ || head.kind == TableKind::metrics;
  }

  void take_cells(const std::vector<std::string>& cells, int number, bool drawn) {
    if (!head_ || cells.size() < 2) return;
    last_line_ = number;
    if (cells[0] == "Region Info" || cells[0] == "Event" || cells[0] == "Metric") {
      is_event_ = cells[0] == "Event";
      threads_ = cells.size() - (is_event_ ? 2 : 1);
      if (drawn) head_->kind = cells[cells.size() - threads_] == "Sum" ? TableKind::statistics : TableKind::raw;
      list_ = cells[0] == "Region Info" ? List::info : is_event_ ? List::events : List::metrics;
      return;
    }
    if (head_->kind == TableKind::statistics) return;
    const bool counts = !drawn && list_ != List::info;
    if (counts && head_->rows && *head_->rows == 0) return;  // of the program, behind the table
    if (threads_ == 0) fail_at(number, "the line that names the threads is missing above it");
    const std::size_t begin = is_event_ ? 2 : 1;
    const std::size_t values = cells.size() - std::min(begin, cells.size());
    if (values != threads_)
      fail_at(number,
              "{} values, the table names {} threads: the file was cut off, or numbers have commas (count again with "
              "LC_ALL=C)",
              values, threads_);
    if (counts && head_->rows) --*head_->rows;
    Pending one{regions_.size() - 1, list_, cells[0], is_event_ ? cells[1] : "", {}, number};
    for (std::size_t i = begin; i < cells.size(); ++i) {
      numbers_.see(cells[i], number);
      one.texts.push_back(cells[i]);
    }
    pending_.push_back(std::move(one));
  }

  Numbers numbers_;
  std::vector<LikwidRegion> regions_;
  std::vector<Pending> pending_;  ///< until all numbers have shown what their separators mean
  std::optional<TableHead> head_;
  List list_{List::info};
  std::size_t threads_{};
  bool has_metrics_{}, is_event_{}, is_open_{};
  int last_line_{};
};

}  // namespace

const LikwidValues* LikwidRegion::metric(std::string_view metric) const {
  return find_by(metrics, metric, &LikwidValues::name);
}
const LikwidValues* LikwidRegion::information(std::string_view entry) const {
  return find_by(info, entry, &LikwidValues::name);
}

bool has_likwid_tables(std::string_view text) {
  return early_line_has(text, {{"STRUCT,Info,"},
                               {"TABLE,", "Group "},
                               {"|", "RDTSC Runtime [s]"},
                               {"|", "Event", "| Counter |"},
                               {"|", "Runtime (RDTSC) [s]"}});
}

std::vector<LikwidRegion> likwid_regions(std::string_view text) {
  Tables tables;
  for_each_line(text, [&](std::string_view line, int number) { tables.take(line, number); });
  return tables.finish();
}

}  // namespace gable::interchange
