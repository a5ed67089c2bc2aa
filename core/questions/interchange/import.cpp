#include "core/questions/interchange/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/model/figure_limits.hpp"
#include "core/questions/interchange/database.hpp"
#include "core/questions/interchange/kernel_name.hpp"
#include "core/questions/interchange/sheet.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/provenance.hpp"
#include "core/sequence.hpp"
#include "core/text/naming.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::interchange {
namespace {

/// Part of all operations below which those of other types do not hold back the verdict.
constexpr double negligible = 0.01;

/// A file and what was read of it; files joined to it by name.
struct Read {
  const Format* format;
  std::vector<std::string> files;
  Contents contents;
};

/// What nothing is read of.
constexpr std::array<OtherForm, 4> without_reader{{
    {{"Running kernels", " times", ""}, "what BabelStream printed before it failed: it has no table"},
    {{"Access to performance group", " not allowed", ""},
     "likwid counted nothing: its processor has no such group (likwid-perfctr -a lists those it has)"},
    {{"op_params", "test_mode", "supported"},
     "what backends of llama.cpp support, without times: call test-backend-ops perf --output csv"},
    {{"Experiment ID", "Single Precision ops", ""},
     "output of mixbench, which is not read here: take ceilings of BabelStream, clpeak or ERT"},
}};

const Format& format_of(const std::string& text) {
  const auto found = std::ranges::find_if(formats(), [&](const Format& format) { return format.recognises(text); });
  if (found != formats().end()) return *found;
  if (const std::string_view what = why_not_read(text, without_reader); !what.empty()) throw Error(std::string(what));
  if (text.starts_with(Database::start)) throw Error("a database of SQLite, of no profiler that is known here");
  throw Error(fmt::format("its content is of no format that is known here: {}",
                          fmt::join(mapped(formats(), &Format::name), ", ")));
}

/// How many commas outside of quotes a line has, or, without any, how many words; nothing where a quote stays open.
std::optional<std::size_t> parts_of(std::string_view line) {
  std::size_t commas = 0, words = 0;
  bool quoted = false, in_word = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++commas;
    if (c != ' ' && !in_word) ++words;
    in_word = c != ' ';
  }
  if (quoted) return {};
  return commas > 0 ? commas : words;
}

/// Leaves the last cell of a table out, which may have lost digits. Returns what is said of it.
std::string without_last_cell(std::string& text) {
  const auto begin = text.find_last_of(",;|: \n\"") + 1;  // 0 where there is none
  const std::string cell = text.substr(begin);
  if (cell.starts_with("+-") && cell.ends_with('+')) return text += '\n', "";  // the line below a table
  text.replace(begin, cell.size(), "\n");
  if (cell.find_first_of("0123456789") == cell.npos) return {};
  return fmt::format("the last line has no line break: its last cell ('{:.40}') may be cut off and is left out", cell);
}

/// Some programs do not end the last line. A file that was cut off ends like that, too: the line is taken as whole
/// where it has as many parts as the one before it. Returns what may have been lost, for a note.
std::string judge_last_line(const Format& format, std::string& text) {
  if (format.written == WrittenAs::json || text.empty() || text.ends_with('\n')) return {};
  if (format.written == WrittenAs::table) {
    std::string note = without_last_cell(text);
    if (!format.recognises(text)) throw Error("the file was cut off in the names of its columns");
    return note;
  }
  std::string_view rest = text;
  const auto take_last = [&rest] {
    const auto begin = rest.rfind('\n') + 1;
    const std::string_view line = rest.substr(begin);
    rest = rest.substr(0, std::max<std::size_t>(begin, 1) - 1);
    return line;
  };
  const auto parts = parts_of(take_last());
  std::optional<std::size_t> before;
  while (!rest.empty() && !before) {  // blank lines have none
    const std::string_view line = take_last();
    if (!trimmed(line).empty()) before = parts_of(line);
  }
  const auto number = static_cast<int>(std::ranges::count(text, '\n') + 1);
  if (format.written != WrittenAs::checked_lines && !(parts && parts == before))
    fail_at(number, "the last line has no end, and less in it than the one before it: the file was cut off");
  return fmt::format(
      "line {} has no line break at its end: if the file was cut off there, its last figure lacks digits", number);
}

double checked(double value, const FigureLimits& limits, const std::string& kernel) {
  if (const std::string why = why_impossible(value, limits); !why.empty())
    throw Error(fmt::format("'{:.80}': {}", kernel, why));
  return value;
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
void set_work(Point& point, Stage& stage, KernelWork& work, DType without_any) {
  const auto most = std::ranges::max_element(work.operations, {}, &TypedWork::operations);
  point.types = uniform_types(without_any);
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
    say(work.unknown, "one type: the bound leaves {:.3g} % of the operations out, which are of others",
        100 * others / (others + most->operations));
}

/// `full`: the kernel's name, demangled.
Point point_of(const Read& read, const Kernel& kernel, const std::string& full, const Target& target,
               const Imported& imported) {
  Counted counted(read.contents.kernels, kernel);
  KernelWork work = read.format->work(counted, target);
  settle_stated(work, target);
  const double calls = kernel.calls;
  Point point;
  point.op = !kernel.op.empty()                       ? short_region_name(kernel.op)
             : read.format->names == NamesOf::kernels ? short_kernel_name(full)
                                                      : short_region_name(full);
  point.params = kernel.operands;
  point.device = target.device.id;
  point.scope = target.scope;
  point.threads = target.threads;
  point.implementation = imported_by + std::string(read.format->tool);
  point.cold = !work.by_shapes;  // the bytes are those that the main memory moved
  if (calls > 1) point.count = calls;
  point.imported = imported;
  if (kernel.has_spread()) {
    point.imported->shortest_s = checked(kernel.shortest_s, time_limits, full);
    point.imported->longest_s = checked(kernel.longest_s, time_limits, full);
  }
  if (full != point.op) point.imported->name = full;
  for (TypedWork& one : work.operations) one.operations = checked(one.operations / calls, operation_limits, full);
  Stage stage;
  stage.name = point.op;
  stage.launches = 0;  // profilers time the kernel, not its launch
  set_work(point, stage, work, target.dtype.value_or(DType::fp32));
  stage.bytes_read = checked(work.bytes_read / calls, traffic_limits, full);
  stage.bytes_written = checked(work.bytes_written / calls, traffic_limits, full);
  stage.working_set = stage.bytes_read + stage.bytes_written;
  for (const LevelBytes& level : work.inner)
    stage.inner.push_back({level.level, checked(level.bytes / calls, traffic_limits, full)});
  point.stages = {std::move(stage)};
  if (!(kernel.seconds > 0)) throw Error(fmt::format("'{:.80}' has a time of {:g} s", full, kernel.seconds));
  point.time = single_figure(checked(kernel.seconds / calls, time_limits, full));
  point.imported->operations = std::move(work.operations);
  point.imported->unknown = std::move(work.unknown);
  point.imported->stated = std::move(work.stated);
  point.imported->counters = counted.take_used();
  if (!read.contents.timed_by.empty()) point.imported->counters.push_back(read.contents.timed_by);
  return point;
}

void add_points(Result& result, const Read& read, const Target& target, UniqueIds& ids) {
  if (!read.format->work) return;
  bool any = false;
  const std::size_t before = result.points.size();
  const Imported imported = imported_of(read);
  const std::vector<Kernel>& kernels = read.contents.kernels.kernels();
  auto names = mapped(kernels, &Kernel::name);
  if (read.format->names == NamesOf::kernels) {
    names = demangled(std::move(names));
    if (const auto left = std::ranges::count_if(names, is_mangled); left > 0)
      say(result.notes, "{}: names that stay mangled: {}", imported.file, left);
  }
  result.points.reserve(before + kernels.size());
  std::set<std::string> stated;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].runs == 0) throw Error(read.contents.untimed);
    Point point = point_of(read, kernels[i], names[i], target, imported);
    any = any || !point.imported->counters.empty();
    stated.insert(point.imported->stated.begin(), point.imported->stated.end());
    point.id = ids.of(fmt::format("{}/{}", point.implementation, point.op));
    result.points.push_back(std::move(point));
  }
  if (!any && result.points.size() > before)
    throw Error("it has no figure of a counter that a roofline needs: docs/interchange.md says which");
  if (!stated.empty())
    say(result.notes, "{}: not counted, none by --dtype: {}", imported.file, fmt::join(stated, ", "));
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

/// Every file, those that are runs of one program as one. `seen` is called with the path and each file.
template <class Seen>
std::vector<Read> read_files(std::span<const std::filesystem::path> files, const Target& target, Seen&& seen) {
  std::vector<Read> all;
  for (const std::filesystem::path& file : files) {
    naming(file.string(), [&] {
      Source source = open_source(file);
      const Format& format = format_of(source.text);
      const std::string note = judge_last_line(format, source.text);
      Read read{&format, {source.name}, format.read(source, target)};
      if (!note.empty()) read.contents.notes.push_back(note);
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
    if (const std::string& named = read.contents.processor; catalogue::is_other(named, into.target.device))
      say(result.notes, "{}: counted on {}, but --device is {}, another processor: shares of its roofs mean nothing",
          fmt::join(read.files, ", "), named, into.target.device.name);
    for (const std::string& note : read.contents.notes) say(result.notes, "{}: {}", fmt::join(read.files, ", "), note);
  }
  set_verdicts(result, into.roofs, into.curves);
  refuse_impossible(result);
  return imported;
}

}  // namespace gable::interchange
