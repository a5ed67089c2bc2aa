#include "core/questions/interchange/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/error.hpp"
#include "core/model/figure_limits.hpp"
#include "core/questions/interchange/database.hpp"
#include "core/questions/interchange/kernel_name.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/provenance.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::interchange {
namespace {

/// Part of all operations below which those of other types do not hold back the verdict.
constexpr double negligible = 0.01;

/// Profiles of many kernels are larger than results: a line a metric is a quarter of a kilobyte.
constexpr std::size_t most_imported = std::size_t{2} << 30;

/// A file and what was read of it; files joined to it by name.
struct Read {
  const Format* format;
  std::vector<std::string> files;
  Contents contents;
};

const Format& format_of(const std::string& text) {
  const auto found = std::ranges::find_if(formats(), [&](const Format& format) { return format.recognises(text); });
  if (found != formats().end()) return *found;
  std::vector<std::string_view> names;
  for (const Format& format : formats()) names.push_back(format.name);
  throw Error(fmt::format("its content is of no format that is known here: {}", fmt::join(names, ", ")));
}

/// A number that lost its last digits is a number still, so that a line is only known to be whole by its end. All tools
/// that write lines end the last one, too.
void refuse_cut_line(const Format& format, std::string_view text) {
  if (format.written != WrittenAs::lines || text.ends_with('\n')) return;
  throw Error(
      fmt::format("line {}: the last line has no end: the file was cut off (a text that is complete ends with a "
                  "line break)",
                  std::ranges::count(text, '\n') + 1));
}

double checked(double value, const FigureLimits& limits, const std::string& kernel) {
  if (const std::string why = why_impossible(value, limits); !why.empty())
    throw Error(fmt::format("'{:.80}': {}", kernel, why));
  return value;
}

/// Names that a file gives reach results and terminals: bytes that are no UTF-8 and control characters do not. Line
/// breaks of Windows go. All of it happens in place, as profiles have up to 2 GiB, but for bytes that are no UTF-8:
/// they make a line longer, and the text is there twice then.
std::string printable_lines(std::string text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  const auto is_kept = [&](char c) { return is_plain(c) || c == '\n'; };
  if (std::ranges::count_if(text, is_kept) == std::ssize(text)) return text;  // without a branch for each byte
  std::size_t written = 0;
  std::string clean, copy;
  bool is_copied = false;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    auto line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!std::ranges::all_of(line, is_plain)) {
      clean = printable(line);
      line = clean;
    }
    if (!is_copied && written + line.size() > end) {  // it would reach into the next line
      copy.assign(text, 0, written);
      is_copied = true;
    }
    const bool has_end = end < text.size();
    if (is_copied) {
      copy.append(line).append(has_end ? "\n" : "");
      continue;
    }
    std::ranges::copy(line, text.begin() + static_cast<std::ptrdiff_t>(written));  // to the left, if anywhere
    written += line.size();
    if (has_end) text[written++] = '\n';
  }
  if (is_copied) return copy;
  text.resize(written);
  return text;
}

/// A name that no row of the result has.
class UniqueIds {
 public:
  std::string of(const std::string& id) {
    if (taken_.insert(id).second) return id;
    std::string candidate;
    int& number = numbers_[id];
    do {
      number = std::max(2, number + 1);
      candidate = fmt::format("{}#{}", id, number);
    } while (!taken_.insert(candidate).second);
    return candidate;
  }

 private:
  std::unordered_map<std::string, int> numbers_;  ///< the last that was tried behind an id
  std::unordered_set<std::string> taken_;
};

Imported imported_of(const Read& read) {
  Imported imported;
  imported.tool = std::string(read.format->tool);
  imported.version = read.contents.version;
  imported.file = fmt::format("{}", fmt::join(read.files, ", "));
  return imported;
}

/// The type and unit with most operations is the point's; where the others are more than a little, its bound leaves
/// them out, which is said.
void set_work(Point& point, Stage& stage, KernelWork& work) {
  const auto most = std::ranges::max_element(work.operations, {}, &TypedWork::operations);
  point.types = uniform_types(DType::fp32);
  if (most == work.operations.end()) return;
  point.types = uniform_types(most->dtype);
  if (most->unit == Unit::matrix) point.types.compute = most->dtype;
  if (most->accumulate) point.types.accumulate = *most->accumulate;
  stage.work = {{most->unit, most->operations}};
  double others = 0;
  for (const TypedWork& one : work.operations) {
    if (&one != &*most) others += one.operations;
  }
  if (others > negligible * most->operations)
    work.unknown.push_back(fmt::format("one type: the bound leaves {:.3g} % of the operations out, which are of others",
                                       100 * others / (others + most->operations)));
}

Point point_of(const Read& read, const Kernel& kernel, const Target& target, const Imported& imported) {
  Counted counted(read.contents.kernels, kernel);
  KernelWork work = read.format->work(counted, target);
  const double calls = kernel.calls;
  Point point;
  const bool of_kernels = read.format->names == NamesOf::kernels;
  const std::string full = of_kernels ? demangled(kernel.name) : kernel.name;
  point.op = of_kernels ? short_kernel_name(full) : short_region_name(full);
  point.device = target.device.id;
  point.scope = target.scope;
  point.threads = target.threads;
  point.implementation = imported_by + std::string(read.format->tool);
  point.cold = true;  // the bytes are those that the main memory moved
  if (calls > 1) point.count = calls;
  point.imported = imported;
  if (full != point.op) point.imported->name = full;
  for (TypedWork& one : work.operations) one.operations = checked(one.operations / calls, operation_limits, full);
  Stage stage;
  stage.name = point.op;
  stage.launches = 0;  // profilers time the kernel, not its launch
  set_work(point, stage, work);
  stage.bytes_read = checked(work.bytes_read / calls, traffic_limits, full);
  stage.bytes_written = checked(work.bytes_written / calls, traffic_limits, full);
  stage.working_set = stage.bytes_read + stage.bytes_written;
  for (const LevelBytes& level : work.inner)
    stage.inner.push_back({level.level, checked(level.bytes / calls, traffic_limits, full)});
  point.stages = {std::move(stage)};
  if (!(kernel.seconds > 0)) throw Error(fmt::format("'{:.80}' has a time of {:g} s", full, kernel.seconds));
  point.time.value = point.time.median = checked(kernel.seconds / calls, time_limits, full);
  point.time.samples = {point.time.value};
  point.time.blocks = point.time.used_blocks = 1;
  point.imported->operations = std::move(work.operations);
  point.imported->unknown = std::move(work.unknown);
  point.imported->counters = counted.take_used();
  return point;
}

void add_points(Result& result, const Read& read, const Target& target, UniqueIds& ids) {
  if (!read.format->work) return;
  bool any = false;
  const std::size_t before = result.points.size();
  const Imported imported = imported_of(read);
  result.points.reserve(before + read.contents.kernels.kernels().size());
  for (const Kernel& kernel : read.contents.kernels.kernels()) {
    if (kernel.runs == 0) throw Error(read.contents.untimed);
    Point point = point_of(read, kernel, target, imported);
    any = any || !point.imported->counters.empty();
    point.id = ids.of(fmt::format("{}/{}", point.implementation, point.op));
    result.points.push_back(std::move(point));
  }
  if (!any && result.points.size() > before)
    throw Error("it has none of the counters that a roofline needs: docs/interchange.md says which");
}

void add_ceilings(Result& result, const Read& read, const Target& target, UniqueIds& ids) {
  for (Ceiling row : read.contents.ceilings) {
    row.device = target.device.id;
    row.scope = target.scope;
    row.implementation = imported_by + std::string(read.format->tool);
    auto source = std::move(row.imported->counters);
    row.imported = imported_of(read);
    row.imported->counters = std::move(source);
    std::vector<std::string> parts{row.implementation, std::string(to_string(row.kind)), row.name};
    if (row.dtype) parts.emplace_back(to_string(*row.dtype));
    if (row.access != Access::none) parts.emplace_back(to_string(row.access));
    if (!row.variant.empty()) parts.push_back(row.variant);
    row.id = ids.of(fmt::format("{}", fmt::join(parts, "/")));
    result.ceilings.push_back(std::move(row));
  }
}

/// Takes a file in, by itself or as another run of one that is there, also where the same counters stand in a file of
/// another form.
void take_in(std::vector<Read>& all, Read read) {
  for (Read& known : all) {
    if (known.format->work != read.format->work || !known.contents.kernels.join(read.contents.kernels)) continue;
    known.files.push_back(read.files.front());
    known.contents.notes.insert(known.contents.notes.end(), read.contents.notes.begin(), read.contents.notes.end());
    return;
  }
  all.push_back(std::move(read));
}

template <class Work>
void naming(const std::string& file, Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", file, error.what()));
  }
}

/// A text, or a database that is opened.
Source open_source(const std::filesystem::path& file) {
  std::string name = printable(file.filename().string());
  std::string begin(Database::start.size(), '\0');
  std::ifstream(file, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin != Database::start) return {std::move(name), printable_lines(read_text(file, most_imported))};
  Source source{std::move(name), {}};
  naming(file.string(), [&] {
    source.database = std::make_shared<const Database>(file);
    source.text = source.database->outline();
  });
  return source;
}

/// Every file, those that are runs of one program as one. `seen` is called with the path and each file.
template <class Seen>
std::vector<Read> read_files(std::span<const std::filesystem::path> files, const Target& target, Seen&& seen) {
  std::vector<Read> all;
  for (const std::filesystem::path& file : files) {
    const Source source = open_source(file);
    naming(file.string(), [&] {
      const Format& format = format_of(source.text);
      refuse_cut_line(format, source.text);
      Read read{&format, {source.name}, format.read(source, target)};
      seen(file, read);
      take_in(all, std::move(read));
    });
  }
  return all;
}

/// Throws Error naming the file and the kernel or column of a figure that cannot be.
template <class OneRow>
void refuse_impossible(const OneRow& row, const std::string& name) {
  const auto figure = result::impossible_figure(row);
  if (!figure) return;
  const std::string_view key = std::string_view(figure->where).substr(1);  // in the row, which has no other name
  throw Error(fmt::format("{}: '{:.80}': {}: {}", row.imported->file, name, key, figure->what));
}

/// What only the whole rows show, such as a time too short for the bytes.
void refuse_impossible(const Result& result) {
  for (const Point& point : result.points)
    refuse_impossible(point, point.imported->name.empty() ? point.op : point.imported->name);
  for (const Ceiling& row : result.ceilings) refuse_impossible(row, row.imported->counters.front());
}

/// All but what is unknown.
void add_to(KernelWork& sum, const KernelWork& work) {
  sum.bytes_read += work.bytes_read;
  sum.bytes_written += work.bytes_written;
  sum.no_direction = sum.no_direction || work.no_direction;
  for (const LevelBytes& level : work.inner) {
    const auto known = std::ranges::find(sum.inner, level.level, &LevelBytes::level);
    if (known == sum.inner.end())
      sum.inner.push_back(level);
    else
      known->bytes += level.bytes;
  }
  for (const TypedWork& one : work.operations) add_operations(sum, one.dtype, one.unit, one.operations, one.accumulate);
}

}  // namespace

CountedTotal total_of(std::span<const std::filesystem::path> files, const Target& target) {
  CountedTotal total;
  for (const Read& read : read_files(files, target, [](const auto&, const Read&) {})) {
    total.notes.insert(total.notes.end(), read.contents.notes.begin(), read.contents.notes.end());
    total.anything = total.anything || !read.contents.kernels.counters().empty();
    if (!read.format->work) continue;
    for (const Kernel& kernel : read.contents.kernels.kernels()) {
      Counted counted(read.contents.kernels, kernel);
      add_to(total.work, read.format->work(counted, target));
    }
  }
  return total;
}

ImportResult import_files(std::span<const std::filesystem::path> files, const ImportInto& into) {
  ImportResult imported;
  const auto all = read_files(files, into.target, [&](const std::filesystem::path& file, const Read& read) {
    imported.files.push_back({file.string(), std::string(read.format->name), read.contents.kernels.kernels().size(),
                              read.contents.ceilings.size()});
  });
  Result& result = imported.result;
  result.build = result::this_build();
  result.run = into.run;
  result.devices = {into.target.device};
  UniqueIds points, ceilings;
  for (const Read& read : all) {
    naming(fmt::format("{}", fmt::join(read.files, ", ")), [&] {
      add_points(result, read, into.target, points);
      add_ceilings(result, read, into.target, ceilings);
    });
    for (const std::string& note : read.contents.notes)
      result.notes.push_back(fmt::format("{}: {}", fmt::join(read.files, ", "), note));
  }
  set_verdicts(result, into.roofs);
  refuse_impossible(result);
  return imported;
}

}  // namespace gable::interchange
