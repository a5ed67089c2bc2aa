#include "core/questions/interchange/perf_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/questions/interchange/sheet.hpp"
#include "core/sequence.hpp"

namespace gable::interchange {
namespace {

constexpr std::string_view text_start = "Performance counter stats for", digits = "0123456789";
/// Of -x, in the order in which they are tried; tabs are blanks here.
constexpr std::string_view separators = ",;| @^~:";
constexpr int most_lines_to_look_at = 2000;

bool is_whole(std::string_view text) { return !text.empty() && text.find_first_not_of(digits) == text.npos; }

/// "S0", "S0-D0-C12", "CPU3", "N1", "D0": where an event was counted.
bool is_place(std::string_view text) {
  constexpr std::array<std::string_view, 4> kinds{"CPU", "S", "N", "D"};
  const auto named = std::ranges::find_if(kinds, [&](std::string_view kind) { return text.starts_with(kind); });
  if (named == kinds.end()) return false;
  const std::string_view rest = text.substr(named->size());
  return !rest.empty() && digits.find(rest[0]) != digits.npos &&
         rest.find_first_not_of("0123456789-SDCLNUMA") == rest.npos;
}

bool is_event_name(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/=-,";
  return text.size() > 2 && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         text.find_first_not_of(letters) == text.npos;
}

bool is_perf_value(std::string_view text) {
  return text.starts_with("<not ") ||
         (!text.empty() && digits.find(text[0]) != digits.npos && text.find_first_not_of("0123456789.,'") == text.npos);
}

/// Time since the start, nine decimals: intervals (-I).
bool is_interval(std::string_view text) {
  const auto point = text.find('.');
  return point != text.npos && text.size() - point == 10 && is_whole(text.substr(0, point)) &&
         is_whole(text.substr(point + 1));
}

[[noreturn]] void refuse_intervals(int number) {
  fail_at(number, "perf's intervals (-I) are not read: count the whole run without -I");
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(separator, at), text.size());
    std::string cell(trimmed(text.substr(at, end - at)));
    const bool in_event = !cells.empty() && cells.back().find('/') != std::string::npos &&
                          std::ranges::count(cells.back(), '/') == 1 && cell.find('/') != std::string::npos;
    if (in_event)
      cells.back() += separator + cell;  // cpu/event=0xc7,umask=0x1/
    else
      cells.push_back(std::move(cell));
    at = end + 1;
  }
  return cells;
}

/// value, unit, event, [spread of -r,] [cgroup,] time counted, share of the time; a place may stand before them.
std::optional<PerfLine> separated_line(std::string_view text, char separator, int number) {
  const auto cells = split(trimmed(text), separator);
  const auto cell = [&](std::size_t i) { return i < cells.size() ? std::string_view(cells[i]) : std::string_view(); };
  PerfLine line;
  line.number = number;
  std::size_t at = 0;
  if (is_place(cell(0))) {
    line.place = cells[at++];
    if (is_whole(cell(1)) && is_perf_value(cell(2))) ++at;  // how many processors it has
  }
  if (is_interval(cell(at)) && is_perf_value(cell(at + 1)) && is_event_name(cell(at + 3))) refuse_intervals(number);
  if (!is_perf_value(cell(at))) return {};
  line.value = cells[at];
  const bool comma_divides = separator == ',' && is_whole(cell(at)) && is_whole(cell(at + 1)) &&
                             is_event_name(cell(at + 3));  // "18310,55,MiB,unc_m_cas_count.rd": units are no numbers
  if (comma_divides) line.value += "," + cells[++at];
  if (!is_event_name(cell(at + 2)) || cells.size() < at + 5) return {};
  line.unit = cells[at + 1];
  line.event = cells[at + 2];
  at += 3;
  while (at + 1 < cells.size() && !is_whole(cell(at))) ++at;           // the spread of -r, a cgroup
  if (at + 1 < cells.size() && cells[at + 1].ends_with('%')) at += 2;  // "1,38%"
  line.share = cell(at + 1);
  return line;
}

/// Whether a line is of perf and not of another table that has numbers: by the name of the event.
bool shows_perf(const PerfLine& line) {
  constexpr std::array<std::string_view, 4> plain{"cycles", "instructions", "branches", "faults"};
  return line.event.find('"') == std::string::npos &&
         (line.value.starts_with("<not ") || line.event.find_first_of("._-/:") != std::string::npos ||
          std::ranges::count(plain, line.event) > 0);
}

std::optional<char> separator_of(std::string_view text) {
  for (const char separator : separators) {
    bool found = false;
    int looked = 0;
    for_each_line(text.substr(0, 200000), [&](std::string_view line, int number) {
      if (found || ++looked > most_lines_to_look_at || line.find('"') != line.npos) return;
      const auto read = separated_line(line, separator, number);
      found = read && shows_perf(*read) && (read->share.empty() || is_perf_value(read->share));
    });
    if (found) return separator;
  }
  return {};
}

/// The value of a key in one line of JSON, which is not always JSON: values may be nan.
std::string json_value(std::string_view line, std::string_view key) {
  const auto at = line.find(fmt::format("\"{}\"", key));
  if (at == line.npos) return {};
  const auto colon = line.find(':', at + key.size() + 2);
  if (colon == line.npos) return {};
  std::string_view rest = trimmed(line.substr(colon + 1));
  if (rest.starts_with('"')) return std::string(rest.substr(1, rest.find('"', 1) - 1));
  return std::string(trimmed(rest.substr(0, rest.find_first_of(",}"))));
}

std::optional<PerfLine> json_line(std::string_view text, int number) {
  PerfLine line;
  line.number = number;
  line.value = json_value(text, "counter-value");
  line.event = json_value(text, "event");
  if (line.value.empty() || line.event.empty()) return {};
  if (!json_value(text, "interval").empty()) refuse_intervals(number);
  line.unit = json_value(text, "unit");
  line.share = json_value(text, "pcnt-running");
  for (const std::string_view key : {"socket", "die", "cluster", "core", "node", "cpu", "thread"})
    line.place += json_value(text, key);
  return line;
}

/// "( +- 1.38% )  (29.45%)": the share of the time in the last brackets.
std::string share_in(std::string_view text) {
  const auto open = text.rfind('('), close = text.rfind("%)");
  if (open == text.npos || close == text.npos || close < open) return {};
  return std::string(trimmed(text.substr(open + 1, close - open - 1)));
}

/// A line of the text: [place [processors]] value [unit] event [# what perf makes of it] [(share)].
std::optional<PerfLine> text_line(std::string_view text, int number) {
  auto words = split(trimmed(text.substr(0, text.find('#'))), ' ');
  std::erase(words, "");
  std::size_t at = 0;
  const auto word = [&](std::size_t i) { return i < words.size() ? std::string_view(words[i]) : std::string_view(); };
  PerfLine line;
  line.number = number;
  if (is_place(word(0))) {
    line.place = words[at++];
    if (is_whole(word(1)) && (is_perf_value(word(2)) || word(2) == "<not")) ++at;
  }
  if (is_interval(word(at)) && is_perf_value(word(at + 1))) refuse_intervals(number);
  if (word(at) == "<not" && word(at + 1).ends_with('>')) {
    line.value = "<not " + words[at + 1];
    at += 2;
  } else if (is_perf_value(word(at))) {
    line.value = words[at++];
  } else {
    return {};
  }
  constexpr std::array<std::string_view, 11> units{"msec", "ns",    "MiB", "KiB", "GiB",   "B",
                                                   "MB",   "Bytes", "KB",  "GB",  "Joules"};
  if (std::ranges::count(units, word(at)) > 0) line.unit = words[at++];
  if (!is_event_name(word(at))) return {};
  line.event = words[at];
  line.share = share_in(text);
  return line;
}

std::vector<PerfRun> text_runs(std::string_view text) {
  std::vector<PerfRun> runs;
  for_each_line(text, [&](std::string_view line, int number) {
    if (const auto start = line.find(text_start); start != line.npos) {
      PerfRun& run = runs.emplace_back();
      std::string_view command = trimmed(line.substr(start + text_start.size()));
      command = command.substr(0, command.rfind('\''));
      if (command.starts_with('\'')) command.remove_prefix(1);
      run.command = command;
      return;
    }
    if (runs.empty()) return;
    if (line.find("seconds time elapsed") != line.npos) {
      const std::string_view words = trimmed(line);
      runs.back().elapsed_s = words.substr(0, words.find(' '));
      runs.back().elapsed_line = number;
    } else if (line.find(" seconds ") == line.npos && runs.back().elapsed_s.empty()) {
      if (auto read = text_line(line, number)) runs.back().lines.push_back(std::move(*read));
    }
  });
  return runs;
}

bool is_json_of_perf(std::string_view text) { return early_line_has(text, {{"\"counter-value\"", "\"event\""}}); }

}  // namespace

bool is_perf_stat(std::string_view text) {
  return early_line_has(text, {{text_start}}) || is_json_of_perf(text) || separator_of(text).has_value();
}

std::vector<PerfRun> perf_runs(std::string_view text) {
  if (early_line_has(text, {{text_start}})) return text_runs(text);
  std::vector<PerfRun> runs(1);
  const bool json = is_json_of_perf(text);
  const char separator = json ? ',' : separator_of(text).value_or(',');
  for_each_line(text, [&](std::string_view line, int number) {
    auto read = json ? json_line(line, number) : separated_line(line, separator, number);
    if (read) runs.back().lines.push_back(std::move(*read));
  });
  return runs;
}

}  // namespace gable::interchange
