#include "core/questions/report/plot_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/json/parse.hpp"
#include "core/questions/course/exercise.hpp"
#include "core/questions/course/lab.hpp"
#include "core/questions/explain/moves_json.hpp"
#include "core/questions/network/message_data.hpp"
#include "core/questions/report/datasheet_ceilings.hpp"
#include "core/questions/report/plot_row_json.hpp"
#include "core/render/plot_data.hpp"
#include "core/result/fields.hpp"
#include "core/result/json.hpp"
#include "core/result/provenance.hpp"
#include "core/text/safe_text.hpp"

namespace gable::report {
namespace {

using nlohmann::json;

std::string colour_text(unsigned colour) { return fmt::format("#{:06x}", colour); }

json range_json(const render::Range& range) { return {{"low", range.low}, {"high", range.high}}; }

json device_json(const Result& result, const render::PlotDevice& shown, const render::PlotOptions& options) {
  JsonWriter writer;
  writer.field("id", shown.id);
  writer.field("name", shown.name);
  writer.field("title", shown.title);
  text_unless_empty(writer, "letter", shown.letter);
  writer.field("datasheet", !shown.scope);
  if (shown.scope) writer.field("scope", std::string(to_string(*shown.scope)));
  writer.field("colour", colour_text(shown.colour));
  json levels = json::array();
  for (const Level& level : shown.levels)
    levels.push_back({{"name", level.name}, {"capacity_byte", level.capacity_bytes}});
  if (shown.overhead) {
    writer.field("launch_s", shown.overhead->seconds);
    writer.field("launch_awaited", shown.overhead->synchronous);
  }
  const auto info = std::ranges::find(result.devices, shown.id, &DeviceInfo::id);
  if (info != result.devices.end()) {
    writer.field("backend", info->backend);
    writer.field("vendor", info->vendor);
    writer.field("microarchitecture", info->microarchitecture);
    writer.field("sockets", info->sockets);
    writer.field("cores", info->cores);
    writer.field("threads", info->threads);
    writer.field("facts", info->facts);
  }
  const auto sheet = std::ranges::find(options.datasheets, shown.id, &catalogue::datasheet_name);
  if (!shown.scope && sheet != options.datasheets.end()) {
    writer.field("vendor", sheet->vendor);
    writer.field("microarchitecture", sheet->architecture);
    writer.field("source", sheet->source);
    writer.field("confidence", std::string(to_string(sheet->confidence)));
    text_unless_empty(writer, "note", sheet->note);
  }
  json device = writer.take();
  device["levels"] = std::move(levels);
  return device;
}

json roof_json(const render::PlotRoof& roof) {
  JsonWriter writer;
  writer.field("device", roof.device);
  writer.field("kind", std::string(roof.flat ? "compute" : "bandwidth"));
  writer.field("label", roof.label);
  writer.field("rate", roof.rate);
  writer.field("low", roof.low);
  writer.field("high", roof.high);
  writer.field("unit", std::string(roof.flat ? "flop/s" : "byte/s"));
  writer.field("from", roof.from);
  writer.field("to", roof.to);
  if (roof.compute) {
    writer.field("dtype", std::string(to_string(roof.compute->dtype)));
    writer.field("accumulate", std::string(to_string(roof.compute->accumulate)));
    writer.field("execution_unit", std::string(to_string(roof.compute->unit)));
    writer.field("types", roof.group.type);
    writer.field("group", roof.group.unit);
    writer.field("operating_point", std::string(roof.at == OperatingPoint::none ? "datasheet" : to_string(roof.at)));
  }
  if (roof.bandwidth) {
    writer.field("level", roof.bandwidth->level);
    name_unless_none(writer, "access", roof.bandwidth->access);
    name_unless_none(writer, "stores", roof.bandwidth->stores);
    writer.field("non_temporal", roof.non_temporal);
  }
  return writer.take();
}

json ridge_json(const render::PlotRidge& ridge) {
  return {{"device", ridge.device},
          {"label", ridge.label},
          {"intensity", ridge.intensity},
          {"low", ridge.low},
          {"high", ridge.high},
          {"flop_per_s", ridge.flop_per_s},
          {"colour", colour_text(ridge.colour)}};
}

json file_json(const ReportedFile& file) {
  JsonWriter writer;
  const RunInfo& run = file.result.run;
  writer.field("name", printable(file.name));
  writer.field("started_at", run.started_at);
  writer.field("finished_at", run.finished_at);
  writer.field("mode", run.mode);
  writer.field("complete", run.complete);
  writer.field("host", run.hostname);
  writer.field("os", run.os);
  writer.field("kernel", run.kernel);
  writer.field("command_line", run.command_line);
  writer.field("facts", run.facts);
  const Build& build = file.result.build;
  writer.field("gable_version", build.version);
  writer.field("commit", build.commit);
  writer.field("compiler", build.compiler);
  std::vector<std::string> devices;
  for (const DeviceInfo& device : file.result.devices) devices.push_back(device.name.empty() ? device.id : device.name);
  writer.field("devices", devices);
  writer.field("notes", file.result.notes);
  return writer.take();
}

json exercise_json(const questions::Exercise& exercise) {
  return {{"id", exercise.id},         {"question", exercise.question},   {"unit", exercise.unit},
          {"answer", exercise.answer}, {"tolerance", exercise.tolerance}, {"working", exercise.working}};
}

json message_line_json(const questions::MessageLine& line) {
  JsonWriter writer;
  text_unless_empty(writer, "label", line.label);
  writer.field("way", line.way);
  writer.field("medium", std::string(to_string(line.medium)));
  writer.field("roof", line.roof);
  if (line.messages_before_wait > 0) writer.field("messages_before_wait", line.messages_before_wait);
  writer.field("colour", colour_text(line.colour));
  writer.field("byte", line.bytes);
  writer.field("byte_per_s", line.byte_per_s);
  return writer.take();
}

/// The message roofline of each network.
json messages_json(const Result& result) {
  json all = json::array();
  for (const DeviceInfo& device : result.devices) {
    const questions::MessageData data = questions::message_data(result, device.id);
    if (data.lines.empty()) continue;
    json lines = json::array();
    for (const questions::MessageLine& line : data.lines) lines.push_back(message_line_json(line));
    all.push_back({{"device", device.id},
                   {"name", printable(device.name)},
                   {"axes", {{"byte", range_json(data.bytes)}, {"byte_per_s", range_json(data.byte_per_s)}}},
                   {"lines", std::move(lines)}});
  }
  return all;
}

template <class Rows, class Form>
json list_of(const Rows& rows, const Form& form) {
  json list = json::array();
  for (const auto& row : rows) list.push_back(form(row));
  return list;
}

}  // namespace

json plot_json(const Result& result, const render::PlotOptions& options, Operators operators,
               std::span<const ReportedFile> files) {
  const render::PlotData data = collect_any(result, options);
  std::map<std::size_t, const render::PlotPoint*> drawn;
  for (const render::PlotPoint& point : data.points) drawn[point.row] = &point;
  constexpr std::size_t most_moved = 500;  ///< that the sliders of the page offer
  std::size_t moved = 0;
  json points = json::array();
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const auto found = drawn.find(i);
    const bool shown = found != drawn.end();
    points.push_back(point_json(result, result.points[i], shown ? found->second : nullptr, operators));
    if (!shown || moved++ >= most_moved) continue;
    if (json moves = questions::moves_json(result.points[i], operators); !moves.empty())
      points.back()["moves"] = std::move(moves);
  }
  json ceilings = list_of(result.ceilings, [](const Ceiling& row) { return ceiling_json(row); });
  for (const catalogue::Device& device : options.datasheets) {
    for (const Ceiling& row : datasheet_ceilings(device)) ceilings.push_back(ceiling_json(row, false));
  }
  const render::Frame frame = machine_frame(data);
  json document{
      {"format", "gable-plot-data"},
      {"schema_version", plot_data_version},
      {"gable_version", result::this_build().version},
      {"subtitle", data.subtitle},
      {"axes", {{"intensity", range_json(data.x)}, {"flop_per_s", range_json(data.y)}}},
      {"frame", {{"intensity", range_json(frame.x)}, {"flop_per_s", range_json(frame.y)}}},
      {"devices",
       list_of(data.devices, [&](const render::PlotDevice& device) { return device_json(result, device, options); })},
      {"roofs", list_of(data.roofs, roof_json)},
      {"ridges", list_of(data.ridges, ridge_json)},
      {"points", std::move(points)},
      {"ceilings", std::move(ceilings)},
      {"curves", list_of(result.curves, curve_json)},
      {"files", list_of(files, file_json)},
      {"exercises", list_of(questions::exercises_of(data, result, options, operators), exercise_json)},
      {"notes", result.notes}};
  if (json messages = messages_json(result); !messages.empty()) document["messages"] = std::move(messages);
  if (!options.title.empty()) document["title"] = options.title;
  if (data.memory_bound_until) document["memory_bound_until"] = *data.memory_bound_until;
  if (data.compute_bound_from) document["compute_bound_from"] = *data.compute_bound_from;
  return document;
}

std::string plot_json_text(const Result& result, const render::PlotOptions& options, Operators operators,
                           std::span<const ReportedFile> files) {
  return dump_json(plot_json(result, options, operators, files), 1) + '\n';
}

}  // namespace gable::report
