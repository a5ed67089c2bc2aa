#include "core/questions/campaign/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/json/parse.hpp"
#include "core/model/figure_limits.hpp"
#include "core/model/units.hpp"
#include "core/questions/campaign/plan.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"
#include "core/text/text_table.hpp"

namespace gable::campaign {

using nlohmann::json;

template <class A, SameStruct<SummaryDevice> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("name", s.name);
}
template <class A, SameStruct<SummaryFact> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  a.field("value", s.value);
}

namespace {

constexpr const char* summary_format = "gable-campaign-summary";
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// The file: figures as columns, names once for all devices, and what few rows have in lists of their own.
struct Metric {
  std::string name, unit;
};
struct Columns {
  std::vector<int> metric{}, device{};
  std::vector<double> value{}, low{}, high{};  ///< NaN, null in JSON: nothing
  std::vector<double> clock_hz{}, power_w{}, temperature_c{};
};
/// A figure of a row, its column and how many of its digits that has.
struct Kept {
  const char* key;
  std::vector<double> Columns::*column;
  std::optional<double> SummaryRow::*figure;
  int digits;
  bool may_lack;  ///< where no row has it, the column is empty
};
constexpr std::array<Kept, 6> kept{{{"value", &Columns::value, &SummaryRow::value, 5, false},
                                    {"low", &Columns::low, &SummaryRow::low, 5, false},
                                    {"high", &Columns::high, &SummaryRow::high, 5, false},
                                    {"clock_hz", &Columns::clock_hz, &SummaryRow::clock_hz, 4, true},
                                    {"power_w", &Columns::power_w, &SummaryRow::power_w, 4, true},
                                    {"temperature_c", &Columns::temperature_c, &SummaryRow::temperature_c, 3, true}}};
struct NotOk {
  int row{};
  Status status{};
  std::string reason;
};
struct HeldBack {
  int row{};
  std::string by;
};
struct File {
  NodeSummary head;  ///< all but its rows
  std::vector<Metric> metrics{};
  Columns rows{};
  std::vector<NotOk> not_ok{};
  std::vector<HeldBack> held_back{};
};

template <class A, SameStruct<Metric> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  a.field("unit", s.unit);
}
template <class A, SameStruct<Columns> S>
void fields(A& a, S& s) {
  a.field("metric", s.metric);
  a.field("device", s.device);
  for (const Kept& one : kept) a.field(one.key, s.*one.column);
}
template <class A, SameStruct<NotOk> S>
void fields(A& a, S& s) {
  a.field("row", s.row);
  a.field("status", s.status);
  a.field("reason", s.reason);
}
template <class A, SameStruct<HeldBack> S>
void fields(A& a, S& s) {
  a.field("row", s.row);
  a.field("by", s.by);
}
template <class A, SameStruct<File> S>
void fields(A& a, S& s) {
  a.field("plan", s.head.plan);
  a.field("node", s.head.node);
  a.field("retest", s.head.retest);
  a.unusual_field("round", s.head.round, 1);
  a.unusual_field("host", s.head.host, std::string());
  a.field("measured_at", s.head.measured_at);
  a.field("mode", s.head.mode);
  a.field("failure", s.head.failure);
  a.field("devices", s.head.devices);
  a.field("facts", s.head.facts);
  a.field("metrics", s.metrics);
  a.field("rows", s.rows);
  a.field("not_ok", s.not_ok);
  a.field("held_back", s.held_back);
  a.field("metrics_left_out", s.head.left_out);
}

double rounded(const std::optional<double>& value, int digits) { return value ? to_digits(*value, digits) : nothing; }
std::optional<double> known(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

/// Numbers of more than six digits as whole ones, which are shorter.
void write_short(json& value) {
  constexpr double least = 1e6, most = 9e15;
  if (value.is_number_float()) {
    const double figure = value.get<double>();
    if (figure >= least && figure <= most && figure == std::floor(figure)) value = static_cast<std::int64_t>(figure);
  } else if (value.is_structured()) {
    for (json& inner : value) write_short(inner);
  }
}

/// With the rows of the first `most` names.
File file_of(const NodeSummary& summary, std::size_t most) {
  constexpr int longest_reason = 100;
  File file{.head = summary};
  file.head.rows.clear();
  std::map<std::string, int> known;
  for (const SummaryRow& row : summary.rows) {
    const auto [at, is_new] = known.try_emplace(row.name, static_cast<int>(known.size()));
    if (static_cast<std::size_t>(at->second) >= most) continue;
    if (is_new) file.metrics.push_back({row.name, row.unit});
    const int i = static_cast<int>(file.rows.metric.size());
    file.rows.metric.push_back(at->second);
    file.rows.device.push_back(static_cast<int>(row.device));
    for (const Kept& one : kept) (file.rows.*one.column).push_back(rounded(row.*one.figure, one.digits));
    if (row.status != Status::ok) file.not_ok.push_back({i, row.status, shorten(row.reason, longest_reason)});
    if (!row.clock_limits.empty()) file.held_back.push_back({i, shorten(row.clock_limits, longest_reason)});
  }
  file.head.left_out = static_cast<int>(known.size() - std::min(known.size(), most));
  for (const Kept& one : kept) {
    auto& column = file.rows.*one.column;
    if (one.may_lack && std::ranges::all_of(column, [](double value) { return std::isnan(value); })) column.clear();
  }
  return file;
}

std::string text_of(const NodeSummary& summary, std::size_t most) {
  const File file = file_of(summary, most);
  JsonWriter writer;
  fields(writer, file);
  json document = writer.take();
  document["format"] = summary_format;
  document["schema_version"] = plan_version;
  write_short(document);
  return dump_json(document, -1) + "\n";
}

/// Throws Error unless columns are as long as each other and their figures can be.
void check(const File& file) {
  const Columns& rows = file.rows;
  const std::size_t count = rows.metric.size();
  const auto fits = [&](const Kept& one) {
    const auto& column = rows.*one.column;
    return column.size() == count || (one.may_lack && column.empty());
  };
  if (rows.device.size() != count || !std::ranges::all_of(kept, fits))
    throw Error("/rows: its columns are not of one length");
  constexpr std::array<std::string_view, 4> units{"flop/s", "op/s", "byte/s", "s"};
  for (std::size_t i = 0; i < file.metrics.size(); ++i) {
    const std::string& unit = file.metrics[i].unit;
    if (std::ranges::count(units, unit) == 0)
      throw Error(fmt::format("/metrics/{}/unit: '{:.20}' is none of flop/s, op/s, byte/s, s", i, unit));
  }
  std::set<std::string> ids;
  for (const SummaryDevice& device : file.head.devices) {
    if (!ids.insert(device.id).second) throw Error(fmt::format("/devices: '{:.40}' twice", printable(device.id)));
  }
  std::set<std::string> names;
  for (const Metric& metric : file.metrics) {
    if (!names.insert(metric.name).second) throw Error(fmt::format("/metrics: '{:.80}' twice", printable(metric.name)));
  }
  std::set<std::pair<int, int>> seen;
  const auto is_index = [](int i, std::size_t size) { return i >= 0 && static_cast<std::size_t>(i) < size; };
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_index(rows.metric[i], file.metrics.size())) throw Error(fmt::format("/rows/metric/{}: no such metric", i));
    if (!is_index(rows.device[i], file.head.devices.size()))
      throw Error(fmt::format("/rows/device/{}: no such device", i));
    if (!seen.emplace(rows.metric[i], rows.device[i]).second)
      throw Error(fmt::format("/rows/metric/{}: this metric of this device stands there twice", i));
    if (rows.low[i] > rows.high[i]) throw Error(fmt::format("/rows/low/{}: above the interval's other end", i));
    const auto& unit = file.metrics[static_cast<std::size_t>(rows.metric[i])].unit;
    for (const double figure : {rows.value[i], rows.low[i], rows.high[i]}) {
      if (std::isnan(figure)) continue;
      if (const std::string why = why_impossible(figure, limits_of_unit(unit)); !why.empty())
        throw Error(fmt::format("/rows/value/{}: {}", i, why));
    }
  }
  for (const NotOk& one : file.not_ok) {
    if (!is_index(one.row, count)) throw Error("/not_ok: no such row");
  }
  for (const HeldBack& one : file.held_back) {
    if (!is_index(one.row, count)) throw Error("/held_back: no such row");
  }
}

NodeSummary summary_of(File file) {
  check(file);
  NodeSummary summary = std::move(file.head);
  const Columns& from = file.rows;
  summary.rows.reserve(from.metric.size());
  for (std::size_t i = 0; i < from.metric.size(); ++i) {
    const Metric& metric = file.metrics[static_cast<std::size_t>(from.metric[i])];
    SummaryRow row{.device = static_cast<std::size_t>(from.device[i]), .name = metric.name, .unit = metric.unit};
    for (const Kept& one : kept) {
      if (const auto& column = from.*one.column; !column.empty()) row.*one.figure = known(column[i]);
    }
    summary.rows.push_back(std::move(row));
  }
  for (NotOk& one : file.not_ok) {
    summary.rows[static_cast<std::size_t>(one.row)].status = one.status;
    summary.rows[static_cast<std::size_t>(one.row)].reason = std::move(one.reason);
  }
  for (HeldBack& one : file.held_back) summary.rows[static_cast<std::size_t>(one.row)].clock_limits = std::move(one.by);
  return summary;
}

}  // namespace

std::string summary_text(NodeSummary summary) {
  std::size_t most = summary.rows.size();
  std::string text = text_of(summary, most);
  if (text.size() <= most_summary_bytes) return text;
  // facts can be as many as libraries and variables are: names of rows go first, in halves, then facts
  std::size_t fitting = 0;
  while (fitting < most) {
    const std::size_t middle = (fitting + most + 1) / 2;
    text_of(summary, middle).size() <= most_summary_bytes ? fitting = middle : most = middle - 1;
  }
  text = text_of(summary, fitting);
  while (text.size() > most_summary_bytes && !summary.facts.empty()) {
    summary.facts.resize(summary.facts.size() / 2);
    text = text_of(summary, fitting);
  }
  if (text.size() > most_summary_bytes) throw Error("the node's devices alone do not fit into a summary");
  return text;
}

NodeSummary parse_summary(std::string_view text) {
  const json document = parse_json(text);
  if (!document.is_object() || !document.contains("format") || document["format"] != summary_format)
    throw Error("not the summary of a campaign's node");
  const JsonLocation place(document);
  const JsonReader reader(place);
  int version{};
  reader.field("schema_version", version);
  if (version != plan_version)
    throw Error(fmt::format("it is of version {}; this gable reads {} only", version, plan_version));
  File file;
  fields(reader, file);
  return summary_of(std::move(file));
}

NodeSummary read_summary(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > most_summary_bytes)
    throw Error(fmt::format("{} bytes are more than the {} of a summary", size, most_summary_bytes));
  return parse_summary(read_text(path));
}

}  // namespace gable::campaign
