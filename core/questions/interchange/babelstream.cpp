#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <set>
#include <sstream>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// STREAM and BabelStream: tables of bandwidths by the best of their runs, in the unit of the heading; BabelStream's
/// CSV
/// (--csv) has other names. A file may hold several runs, sizes and devices.
namespace gable::interchange {
namespace {

struct StreamKernel {
  std::string_view name;
  Access access;             ///< the mix of reads and writes that Gable has
  std::string_view variant;  ///< what sets it apart from the kernel that Gable measures this mix with
};
constexpr std::array kernels = {StreamKernel{"Copy", Access::copy, ""},       StreamKernel{"Mul", Access::copy, "mul"},
                                StreamKernel{"Scale", Access::copy, "scale"}, StreamKernel{"Add", Access::triad, "add"},
                                StreamKernel{"Triad", Access::triad, ""},     StreamKernel{"Dot", Access::read, "dot"}};

/// A line of a table.
struct StreamLine {
  const StreamKernel* kernel;
  std::string figure;
  double unit;  ///< byte/s
  std::string size, device;
  int number;
};

/// "MBytes/sec", "(MB/s)", "GiB/s", "mibytes": what one of it is in byte; nothing of another word.
std::optional<double> stream_unit(std::string_view word) {
  std::string name;  // "Mbytes"
  for (const unsigned char c : word.substr(0, word.find('/'))) {
    if (std::isalpha(c) != 0) name += static_cast<char>(name.empty() ? std::toupper(c) : std::tolower(c));
  }
  return unit_factor(name, {"B", "b", "bytes"});
}

/// Reads the lines one after the other.
class StreamTables {
 public:
  void take(std::string_view line, int number) {
    std::istringstream text{std::string(line)};
    const std::vector<std::string> words{std::istream_iterator<std::string>(text),
                                         std::istream_iterator<std::string>()};
    if (words.empty()) return;
    if (line.starts_with("Validation failed") || line.starts_with("Failed Validation"))
      fail_at(number, "the tool's own check of its results failed, so its figures mean nothing");
    if (words[0] == "Version:" && words.size() > 1) version = words[1];
    if (const auto revision = std::ranges::find(words, "$Revision:");
        revision != words.end() && revision + 1 != words.end())
      version = *(revision + 1);
    const auto colon = line.find(':');
    if (line.starts_with("Array size") && colon != line.npos)
      size_ = trimmed(line.substr(colon + 1, line.find_first_of("(,", colon) - colon - 1));
    if (line.starts_with("Array size =") && words.size() > 3) size_ = words[3] + " elements";
    if (const auto device = line.find(" device "); line.starts_with("Using ") && device != line.npos)
      device_ = trimmed(line.substr(device + 8));
    if (words[0] == "Function") take_heading(words, number);
    take_row(words, number);
  }

  std::vector<StreamLine> lines;
  Numbers numbers;
  std::optional<std::string> version;

 private:
  void take_heading(const std::vector<std::string>& words, int number) {
    const auto found =
        std::ranges::find_if(words, [](const std::string& word) { return word.find("/s") != word.npos; });
    if (found == words.end()) return;
    unit_ = stream_unit(*found);
    if (!unit_) fail_at(number, "the bandwidths are in '{:.20}', which is not known", *found);
  }

  void take_row(const std::vector<std::string>& words, int number) {
    std::string_view name = words[0];
    if (name.ends_with(':')) name.remove_suffix(1);
    const auto kernel = std::ranges::find(kernels, name, &StreamKernel::name);
    const std::size_t at = words.size() > 1 && words[1] == ":" ? 2 : 1;
    if (kernel == kernels.end() || words.size() <= at || !unit_) return;
    for (std::size_t i = at; i < words.size(); ++i) numbers.see(words[i], number);
    lines.push_back({&*kernel, words[at], *unit_, size_, device_, number});
  }

  std::optional<double> unit_;
  std::string size_, device_;
};

double bandwidth_of(const StreamLine& line, const Numbers& numbers) {
  if (std::ranges::count(line.figure, '.') > 1)
    fail_at(line.number, "'{}' are two columns that touch, and where one ends is not known: print the table with --csv",
            line.figure);
  const auto figure = numbers.value(line.figure, line.number);
  if (!figure || !(*figure > 0)) fail_at(line.number, "'{}' is no bandwidth", line.figure);
  return *figure * line.unit;
}

/// Rows of the same kernel, size and device are runs of it. Where there are several sizes or devices, rows name theirs.
void add_rows(Contents& contents, const std::vector<StreamLine>& lines, const Numbers& numbers, const Target& target) {
  std::set<std::string> sizes, devices;
  for (const StreamLine& line : lines) {
    sizes.insert(line.size);
    devices.insert(line.device);
  }
  for (const StreamLine& line : lines) {
    Ceiling row = ceiling_of(CeilingKind::bandwidth, target.main_memory(), bandwidth_of(line, numbers),
                             std::string(line.kernel->name));
    row.access = line.kernel->access;
    row.variant = line.kernel->variant;
    const auto add = [&](const std::string& text) { row.variant += (row.variant.empty() ? "" : ", ") + text; };
    if (sizes.size() > 1 && !line.size.empty()) add("arrays of " + line.size);
    if (devices.size() > 1 && !line.device.empty()) add(line.device);
    add_run(contents, std::move(row));
  }
  if (contents.ceilings.empty())
    throw Error("no line of a kernel below the names of the columns: the file was cut off");
  finish_runs(contents);
}

constexpr std::string_view csv_start = "function,num_times";

/// What `--csv` writes: a line a kernel below the names of the columns.
std::vector<StreamLine> lines_of_csv(std::string_view text, Numbers& numbers) {
  const Sheet sheet(text.substr(text.find(csv_start)));
  const auto rate = std::ranges::find_if(
      sheet.names(), [](const std::string& name) { return name.starts_with("max_") && name.ends_with("_per_sec"); });
  const auto unit = rate == sheet.names().end() ? std::nullopt : stream_unit(rate->substr(4, rate->find('_', 4) - 4));
  if (!unit) throw Error("no column 'max_mbytes_per_sec'");
  const auto at = static_cast<std::size_t>(rate - sheet.names().begin());
  const auto elements = sheet.find("n_elements");
  std::vector<StreamLine> lines;
  for (const CsvRecord& row : sheet) {
    const auto kernel = std::ranges::find(kernels, row.cells[0], &StreamKernel::name);
    if (kernel == kernels.end()) continue;
    for (std::size_t i = at; i < row.cells.size(); ++i) numbers.see(row.cells[i], row.line);
    const std::string size = elements ? row.cells[*elements] + " elements" : "";
    lines.push_back({&*kernel, row.cells[at], *unit, size, "", row.line});
  }
  return lines;
}

bool recognises_babelstream(std::string_view text) {
  return early_line_has(text, {{"Function", "/s", "Min (sec)"}, {csv_start}, {"Function", "Bytes/sec"}});
}

bool recognises_stream(std::string_view text) { return early_line_has(text, {{"Function", "/s", "Avg time"}}); }

Contents read_table(const Source& source, const Target& target, std::string_view tool) {
  Contents contents;
  const std::string_view text = source.text;
  StreamTables tables;
  if (text.find(csv_start) != text.npos)
    tables.lines = lines_of_csv(text, tables.numbers);
  else
    for_each_line(text, [&](std::string_view line, int number) { tables.take(line, number); });
  contents.version = tables.version;
  add_rows(contents, tables.lines, tables.numbers, target);
  say(contents.notes, "{}'s figures are of the best of its repetitions, Gable's are medians over blocks", tool);
  return contents;
}

Contents read_babelstream(const Source& source, const Target& target) {
  return read_table(source, target, "BabelStream");
}
Contents read_stream(const Source& source, const Target& target) { return read_table(source, target, "STREAM"); }

}  // namespace

const Format babelstream{"BabelStream",     "babelstream", &recognises_babelstream,
                         &read_babelstream, nullptr,       WrittenAs::table};
const Format stream{"STREAM", "stream", &recognises_stream, &read_stream, nullptr, WrittenAs::table};

}  // namespace gable::interchange
