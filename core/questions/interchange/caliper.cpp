#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/json/parse.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"
#include "core/text/safe_text.hpp"

/// Caliper (LLNL): times of annotated regions, as `cali-query` writes them. FORMAT json: a list of records, whose
/// "path" joins regions by slashes. FORMAT json-split: columns and rows, whose "path" is the index of a node; each node
/// has a label and, within another region, a parent. Keys: JsonFormatter and JsonSplitFormatter of Caliper, the reader
/// of Hatchet.
namespace gable::interchange {
namespace {

using nlohmann::json;

constexpr std::string_view path_key = "path", rank_key = "mpi.rank", version_key = "cali.caliper.version";
constexpr std::string_view raw_start = "__rec=";
constexpr std::string_view advice = "cali-query -q \"SELECT * FORMAT json-split\" FILE.cali";

bool recognises(std::string_view text) {
  if (text.starts_with(raw_start)) return true;
  const auto has = [&](std::string_view key) { return text.find(key) != text.npos; };
  const std::string_view document = trimmed(text);
  if (document.starts_with('{')) return has("\"column_metadata\"") && has("\"nodes\"");
  return document.starts_with('[') && trimmed(document.substr(1)).starts_with('{') && has("\"path\"");
}

/// Keys of the time that is spent in a region itself, the first of which is taken. Those without a unit in their names
/// are in s where Caliper's own recipes asked for them.
constexpr std::array<std::string_view, 6> time_keys{
    "time",          "sum#time.duration",    "sum#avg#sum#time.duration",
    "time.duration", "sum#time.duration.ns", "time.duration.ns"};

std::string_view time_key_of(const std::set<std::string, std::less<>>& keys) {
  const auto found = std::ranges::find_if(time_keys, [&](std::string_view key) { return keys.contains(key); });
  if (found != time_keys.end()) return *found;
  const auto inclusive = [](const std::string& key) {
    return key.find("inclusive") != key.npos || key.find("(inc)") != key.npos;
  };
  if (const auto one = std::ranges::find_if(keys, inclusive); one != keys.end())
    throw Error(
        fmt::format("it has inclusive times only ('{:.60}'), in which a region counts again in those around it: ask "
                    "for exclusive ones",
                    printable(*one)));
  throw Error("it has no exclusive time of its regions: 'time', 'sum#time.duration' or 'sum#time.duration.ns'");
}

/// What one of the unit is in s.
double seconds_of(std::string_view unit) {
  if (const auto factor = unit_factor(unit, {"sec"})) return *factor;
  throw Error(fmt::format("the time has the unit '{:.20}', which is not known here", unit));
}

/// Gathers the regions of either form.
class Regions {
 public:
  /// `unit`: of the time, where the file tells it.
  Regions(std::string_view time_key, const std::optional<std::string>& unit)
      : time_key_(time_key),
        factor_(unit                        ? seconds_of(*unit)
                : time_key.ends_with(".ns") ? 1e-9
                                            : 1) {
    counter_ = contents_.kernels.counter(time_key);
    if (!unit && time_key.ends_with("time.duration"))
      say(contents_.notes,
          "{} has no unit in the file and is taken as s, which Caliper's own recipes ask for; without them, older "
          "versions write us",
          time_key);
  }

  /// A row of one region; an empty name stands for what is outside all of them.
  void add(const std::string& name, const JsonLocation& time, const json& rank) {
    if (time.value().is_null()) return;
    if (!time.value().is_number()) time.expected("a number");
    if (!rank.is_null()) ranks_.insert(rank.dump());
    if (ranks_.size() > 1)
      throw Error(fmt::format(
          "regions of several MPI ranks ({}, {}): a point is of one device, select one rank (WHERE mpi.rank=0)",
          *ranks_.begin(), *ranks_.rbegin()));
    const double seconds = time.value().get<double>() * factor_;
    if (!(seconds >= 0) || !std::isfinite(seconds)) time.fail("a time is finite and not negative");
    if (name.empty()) {
      outside_ += seconds;
      return;
    }
    Kernel& kernel = contents_.kernels.kernel(name);
    kernel.calls = 1;  // rows are sums over all visits, whose number is not told
    kernel.seconds += seconds;
    contents_.kernels.add(kernel, counter_, seconds);
  }

  Contents take(std::optional<std::string> version) {
    const std::size_t without_time = contents_.kernels.drop_untimed();
    if (contents_.kernels.kernels().empty()) throw Error("no region has a time");
    if (without_time > 0) say(contents_.notes, "{} regions without a time of their own were left out", without_time);
    if (outside_ > 0) say(contents_.notes, "{:.4g} s outside of all regions were left out", outside_);
    contents_.version = std::move(version);
    return std::move(contents_);
  }

 private:
  Contents contents_;
  std::string time_key_;
  double factor_;
  std::size_t counter_{};
  std::set<std::string> ranks_;
  double outside_{};
};

/// "main/solve" as "main / solve", as the names of nested regions are told elsewhere. A slash within a label cannot be
/// told from one between two.
std::string with_blanks(const std::string& path) {
  std::string name;
  for (const char c : path) name += c == '/' ? std::string(" / ") : std::string(1, c);
  return printable(name);
}

Contents read_records(const json& document) {
  const JsonLocation root(document);
  std::set<std::string, std::less<>> keys;
  for (std::size_t i = 0; i < document.size(); ++i) {
    if (!document[i].is_object()) JsonLocation(root, i, document[i]).expected("an object");
    for (const auto& entry : document[i].items()) keys.insert(entry.key());
  }
  const std::string key(time_key_of(keys));
  Regions regions(key, std::nullopt);
  for (std::size_t i = 0; i < document.size(); ++i) {
    const JsonLocation row(root, i, document[i]);
    const json& path = member_of(document[i], path_key);
    if (!path.is_null() && !path.is_string()) JsonLocation(row, path_key, path).expected("a string");
    regions.add(path.is_null() ? std::string{} : with_blanks(path.get<std::string>()),
                JsonLocation(row, key, member_of(document[i], key)), member_of(document[i], rank_key));
  }
  return regions.take({});
}

/// The names of all nodes, with those around them.
std::vector<std::string> names_of(const JsonLocation& nodes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nodes.value().size(); ++i) {
    const JsonLocation node(nodes, i, nodes.value()[i]);
    if (!node.value().is_object()) node.expected("an object");
    const json &label = member_of(node.value(), "label"), &parent = member_of(node.value(), "parent");
    if (!label.is_string()) JsonLocation(node, "label", label).expected("a string");
    std::string name = printable(label.get<std::string>());
    if (!parent.is_null()) {
      const bool before = parent.is_number_unsigned() && parent.get<std::size_t>() < i;
      if (!before) JsonLocation(node, "parent", parent).fail("no node before this one");
      name = names[parent.get<std::size_t>()] + " / " + name;
    }
    names.push_back(std::move(name));
  }
  return names;
}

Contents read_split(const json& document) {
  const JsonLocation root(document);
  const auto list = [&](const char* key) {
    const JsonLocation place(root, key, member_of(document, key));
    if (!place.value().is_array()) place.expected("an array");
    return place;
  };
  const JsonLocation data = list("data"), columns = list("columns"), metadata = list("column_metadata");
  const auto names = names_of(list("nodes"));
  std::set<std::string, std::less<>> keys;
  for (const json& column : columns.value()) {
    if (!column.is_string()) columns.expected("an array of strings");
    keys.insert(column.get<std::string>());
  }
  const auto at = [&](std::string_view key) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < columns.value().size(); ++i) {
      if (columns.value()[i].get_ref<const std::string&>() == key) return i;
    }
    return {};
  };
  const auto path = at(path_key), rank = at(rank_key);
  if (!path) throw Error("/columns: none is 'path', the regions of the program");
  const std::string key(time_key_of(keys));
  const std::size_t time = *at(key);
  std::optional<std::string> unit;
  if (time < metadata.value().size() && metadata.value()[time].is_object()) {
    for (const char* name : {"time.unit", "attribute.unit"}) {
      if (const json& told = member_of(metadata.value()[time], name); told.is_string()) unit = told.get<std::string>();
    }
  }
  Regions regions(key, unit);
  for (std::size_t i = 0; i < data.value().size(); ++i) {
    const JsonLocation row(data, i, data.value()[i]);
    if (!row.value().is_array() || row.value().size() != columns.value().size())
      row.expected(fmt::format("an array of {} cells", columns.value().size()));
    const json& node = row.value()[*path];
    const bool known = node.is_number_unsigned() && node.get<std::size_t>() < names.size();
    if (!node.is_null() && !known) JsonLocation(row, *path, node).fail("no node of this index");
    regions.add(known ? names[node.get<std::size_t>()] : std::string{}, JsonLocation(row, time, row.value()[time]),
                rank ? row.value()[*rank] : json());
  }
  const json& version = member_of(document, version_key);
  return regions.take(version.is_string() ? std::optional(printable(version.get<std::string>())) : std::nullopt);
}

Contents read(const Source& source, const Target&) {
  if (source.text.starts_with(raw_start))
    throw Error(fmt::format("a raw file of Caliper: write it as JSON first, {} > FILE.json", advice));
  const json document = parse_json(source.text);
  return document.is_array() ? read_records(document) : read_split(document);
}

/// Regions are timed and not counted.
KernelWork work_of(Counted& counted, const Target& target) {
  for (const std::string_view key : time_keys) counted.find(key);
  return work_of_times(counted, target);
}

}  // namespace

const Format caliper{"Caliper JSON", "caliper", &recognises, &read, &work_of, WrittenAs::json, NamesOf::regions};

}  // namespace gable::interchange
