#include "core/questions/report/plot_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/enum_names.hpp"
#include "core/error.hpp"
#include "core/questions/course/exercise.hpp"
#include "core/questions/course/lab.hpp"
#include "core/questions/explain/explanation.hpp"
#include "core/questions/explain/lever.hpp"
#include "core/questions/explain/time_spent.hpp"
#include "core/questions/network/message_plot.hpp"
#include "core/questions/predict/fusion.hpp"
#include "core/questions/predict/what_if.hpp"
#include "core/questions/report/row_facts.hpp"
#include "core/render/answer.hpp"
#include "core/render/plot_data.hpp"
#include "core/render/shown_device.hpp"
#include "core/result/provenance.hpp"
#include "core/result/row_fields.hpp"
#include "core/sequence.hpp"
#include "core/text/safe_text.hpp"

namespace gable::report {
namespace {

using nlohmann::json;

std::string colour_text(unsigned colour) { return fmt::format("#{:06x}", colour); }

Answer::Facts plot_facts(const render::Range& range) { return {{"low", range.low}, {"high", range.high}}; }

Answer::Facts plot_facts(const Fact& fact) {
  return {{"name", fact.name}, {"value", fact.value}, {"source", fact.source}};
}
Answer::Table facts_table(const std::vector<Fact>& facts) {
  return table_of(facts, [](const Fact& fact) { return plot_facts(fact); });
}

Answer::Facts device_facts(const Result& result, const render::PlotDevice& shown, const render::PlotOptions& options) {
  Answer::Facts facts{{"id", shown.id},
                      {"name", shown.name},
                      {"title", shown.title},
                      {"letter", named(shown.letter)},
                      {"datasheet", !shown.scope},
                      {"scope", shown.scope},
                      {"colour", colour_text(shown.colour)},
                      {"levels", table_of(shown.levels, [](const Level& level) -> Answer::Facts {
                         return {{"name", level.name}, {"capacity_byte", level.capacity_bytes}};
                       })}};
  if (shown.overhead)
    facts.add({{"launch_s", shown.overhead->seconds}, {"launch_awaited", shown.overhead->synchronous}});
  const auto info = std::ranges::find(result.devices, shown.id, &DeviceInfo::id);
  if (info != result.devices.end()) {
    std::vector<Fact> told = info->facts;
    std::erase_if(told, render::is_lost);
    facts.add({{"backend", info->backend},
               {"vendor", info->vendor},
               {"microarchitecture", info->microarchitecture},
               {"sockets", info->sockets},
               {"cores", info->cores},
               {"threads", info->threads},
               {"facts", facts_table(told)}});
  }
  const auto sheet = std::ranges::find(options.datasheets, shown.id, &catalogue::datasheet_name);
  if (!shown.scope && sheet != options.datasheets.end())
    facts.add({{"vendor", sheet->vendor},
               {"microarchitecture", sheet->architecture},
               {"source", sheet->source},
               {"confidence", sheet->confidence},
               {"note", named(sheet->note)}});
  return facts;
}

Answer::Facts plot_facts(const render::PlotRoof& roof) {
  Answer::Facts facts{{"device", roof.device},
                      {"kind", roof.flat ? "compute" : "bandwidth"},
                      {"label", roof.label},
                      {"rate", roof.rate},
                      {"low", roof.low},
                      {"high", roof.high},
                      {"unit", roof.flat ? "flop/s" : "byte/s"},
                      {"from", roof.from},
                      {"to", roof.to},
                      {"drawn", roof.drawn}};
  if (roof.compute)
    facts.add({{"dtype", roof.compute->dtype},
               {"accumulate", roof.compute->accumulate},
               {"execution_unit", roof.compute->unit},
               {"types", roof.group.type},
               {"group", roof.group.unit},
               {"operating_point", roof.at == OperatingPoint::none ? "datasheet" : to_string(roof.at)}});
  if (roof.bandwidth)
    facts.add({{"level", roof.bandwidth->level},
               {"access", unless_none(roof.bandwidth->access)},
               {"stores", unless_none(roof.bandwidth->stores)},
               {"non_temporal", roof.bandwidth->stores == Stores::non_temporal}});
  return facts;
}

Answer::Facts plot_facts(const render::PlotRidge& ridge) {
  return {{"device", ridge.device},
          {"label", ridge.label},
          {"intensity", ridge.intensity},
          {"low", ridge.low},
          {"high", ridge.high},
          {"flop_per_s", ridge.flop_per_s},
          {"colour", colour_text(ridge.colour)}};
}

/// What a limit is, so that a reader need not take its label apart.
Answer::Facts plot_facts(const Verdict& verdict) {
  const bool known = verdict.limit_kind != LimitKind::none;
  return {{"limit_kind", known ? Answer::Value(verdict.limit_kind) : Answer::Value()},
          {"limit_execution_unit", verdict.limit_unit},
          {"limit_dtype", verdict.limit_dtype},
          {"limit_level", named(verdict.limit_level)}};
}

/// What `gable explain` says of a point, where it has a verdict; adds it to the time of its device, where that is
/// given.
Answer::Facts explained(const questions::FastestRuns& runs, const Point& point, Operators operators,
                        questions::TimeSpent* spent) try {
  if (point.status != Status::ok) return {};
  const auto answer = questions::explain(runs, point, operators);
  if (spent) spent->add(answer);
  Answer::Facts facts{{"diagnosis", limit_words(answer)}, {"distance", distance_words(answer)}};
  facts.add(plot_facts(static_cast<const Verdict&>(answer.point)));
  if (answer.ridge)
    facts.add({{"ridge_flop_per_byte", answer.ridge->ridge_flop_per_byte}, {"ridge_level", answer.ridge->level}});
  const auto causes = [&](bool seen) {
    const auto wanted = filtered(answer.causes, [&](const questions::Cause& cause) { return cause.seen == seen; });
    return named(fmt::format("{}", fmt::join(mapped(wanted, &questions::Cause::text), "; ")));
  };
  facts.add({{"causes_seen", causes(true)}, {"causes_usual", causes(false)}});
  if (const questions::Lever* best = questions::best_lever(answer))
    facts.add(
        {{"lever", best->name + (best->change.empty() ? "" : ": " + best->change)}, {"lever_factor", best->factor}});
  return facts;
} catch (const Error& error) {
  return {{"diagnosis", std::string(error.what())}};
}

/// Those of the tables, what pictures show of the point (`drawn`: null where they do not), and why it is there.
Answer::Facts plot_facts(const questions::FastestRuns& runs, const Point& point, const render::PlotPoint* drawn,
                         Operators operators, questions::TimeSpent* spent) {
  Answer::Facts facts = facts_of(runs.result(), point);
  if (!ran_here(point)) facts.emplace_back("own", true);
  facts.emplace_back("drawn", drawn != nullptr);
  if (drawn) facts.add({{"limit_flop_per_s", drawn->limit}, {"lost_s", drawn->lost_s}});
  if (const auto& imported = point.imported)
    facts.add({{"shortest_call_s", imported->shortest_s}, {"longest_call_s", imported->longest_s}});
  if (drawn && !drawn->levels.empty()) {
    facts.emplace_back("levels", table_of(drawn->levels, [](const render::PlotLevel& level) -> Answer::Facts {
                         return {{"name", level.level}, {"intensity", level.intensity}};
                       }));
  }
  return facts.add(explained(runs, point, operators, spent));
}

Answer::Facts plot_facts(const ReportedFile& file) {
  const RunInfo& run = file.result.run;
  const Build& build = file.result.build;
  auto devices = mapped(file.result.devices,
                        [](const DeviceInfo& device) { return device.name.empty() ? device.id : device.name; });
  return {{"name", printable(file.name)},
          {"started_at", run.started_at},
          {"finished_at", run.finished_at},
          {"mode", run.mode},
          {"complete", run.complete},
          {"host", run.hostname},
          {"os", run.os},
          {"kernel", run.kernel},
          {"command_line", run.command_line},
          {"facts", facts_table(run.facts)},
          {"gable_version", build.version},
          {"commit", build.commit},
          {"compiler", build.compiler},
          {"devices", std::move(devices)},
          {"notes", file.result.notes}};
}

Answer::Facts plot_facts(const questions::Exercise& exercise) {
  Answer::Table mistakes = table_of(exercise.mistakes, [](const questions::Mistake& one) {
    return Answer::Facts{{"name", one.name}, {"answer", one.answer}, {"credit", one.credit}};
  });
  return {{"id", exercise.id},         {"question", exercise.question},   {"unit", exercise.unit},
          {"answer", exercise.answer}, {"tolerance", exercise.tolerance}, {"working", exercise.working},
          {"kind", exercise.kind},     {"mistakes", std::move(mistakes)}};
}

template <class Rows, class FactsOf>
json list_of(const Rows& rows, const FactsOf& facts) {
  json list = json::array();
  for (const auto& row : rows) list.push_back(render::json_of(facts(row)));
  return list;
}
template <class Rows>
json list_of(const Rows& rows) {
  return list_of(rows, [](const auto& row) { return plot_facts(row); });
}

json message_line_json(const questions::MessageLine& line) {
  json one = render::json_of({{"label", named(line.label)},
                              {"way", line.way},
                              {"medium", to_string(line.medium)},
                              {"roof", line.roof},
                              {"messages_before_wait", unless_zero(line.messages_before_wait)},
                              {"colour", colour_text(line.colour)}});
  one["byte"] = line.bytes;
  one["byte_per_s"] = line.byte_per_s;
  return one;
}

/// The message roofline of each network.
json messages_json(const Result& result) {
  json all = json::array();
  for (const DeviceInfo& device : result.devices) {
    const questions::MessageData data = questions::message_data(result, device.id);
    if (data.lines.empty()) continue;
    Answer::Facts facts{{"device", device.id}, {"name", printable(device.name)}};
    facts.add("axes/byte", plot_facts(data.bytes)).add("axes/byte_per_s", plot_facts(data.byte_per_s));
    all.push_back(render::json_of(facts));
    for (const questions::MessageLine& line : data.lines) all.back()["lines"].push_back(message_line_json(line));
  }
  return all;
}

/// Types of floating point that an operator takes, each with the bytes that it moves then.
json types_json(const Point& point, const OperatorSpec& spec) {
  json list = json::array();
  std::set<DType> known{point.types.a};
  for (const Types& types : spec.types) {
    if (is_integer(types.a) || is_integer(point.types.a) || !known.insert(types.a).second) continue;
    const auto stages = repeated(spec.work(Params::parse(point.params), types), point.launches);
    list.push_back({{"dtype", to_string(types.a)}, {"compute", to_string(types.compute)}, {"bytes", bytes(stages)}});
  }
  return list;
}

/// What the sliders of the page need to move a point: the bytes of a product that stay whatever its batch, the bytes in
/// other types that its operator takes, and those of all its stages in one launch. Empty where nothing of it is known.
json moves_json(const Point& point, Operators operators) {
  json moves = json::object();
  const OperatorSpec* spec = questions::known_operator(point, operators);
  if (!spec || point.params.empty()) return moves;
  try {
    if (const auto fixed = questions::bytes_whatever_the_batch(point, operators)) moves["batch_fixed_bytes"] = *fixed;
    if (json types = types_json(point, *spec); !types.empty()) moves["types"] = std::move(types);
    if (point.launches == 1 && launches_of_run(point) > 1) {
      moves["launches"] = launches_of_run(point);
      moves["fused_bytes"] = bytes(questions::fused(point, operators));
    }
  } catch (const Error&) {  // a file of another version, whose operator took other sizes
    return json::object();
  }
  return moves;
}

}  // namespace

json plot_json(const Result& result, const render::PlotOptions& options, Operators operators,
               std::span<const ReportedFile> files) {
  const render::PlotData data = collect_any(result, options);
  std::map<std::size_t, const render::PlotPoint*> drawn;
  for (const render::PlotPoint& point : data.points) drawn[point.row] = &point;
  constexpr std::size_t most_moved = 500;  ///< that the sliders of the page offer
  std::size_t moved = 0;
  const questions::FastestRuns runs(result);
  json points = json::array();
  std::map<std::string, questions::TimeSpent> spent;  ///< by the ids of devices
  const auto spent_by = [&](const Point& point) {     // nobody where its scope or type is not shown
    const auto device = std::ranges::find(data.devices, point.device, &render::PlotDevice::id);
    return device != data.devices.end() && device->scope == point.scope && has_type_of(point, options)
               ? &spent[point.device]
               : nullptr;
  };
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const auto found = drawn.find(i);
    const bool shown = found != drawn.end();
    const Point& point = result.points[i];
    points.push_back(
        render::json_of(plot_facts(runs, point, shown ? found->second : nullptr, operators, spent_by(point))));
    if (!shown || moved++ >= most_moved) continue;
    if (json moves = moves_json(point, operators); !moves.empty()) points.back()["moves"] = std::move(moves);
  }
  const render::Frame frame = machine_frame(data);
  Answer::Facts head{{"format", "gable-plot-data"},
                     {"schema_version", plot_data_version},
                     {"gable_version", result::this_build().version},
                     {"title", named(options.title)},
                     {"subtitle", data.subtitle},
                     {"memory_bound_until", data.memory_bound_until},
                     {"compute_bound_from", data.compute_bound_from},
                     {"notes", result.notes}};
  head.add("axes/intensity", plot_facts(data.x)).add("axes/flop_per_s", plot_facts(data.y));
  head.add("frame/intensity", plot_facts(frame.x)).add("frame/flop_per_s", plot_facts(frame.y));
  json document = render::json_of(head);
  document["devices"] = list_of(data.devices, [&](const render::PlotDevice& device) {
    return device_facts(result, device, options).add({{"conclusion", named(spent[device.id].words())}});
  });
  document["roofs"] = list_of(data.roofs);
  document["ridges"] = list_of(data.ridges);
  document["points"] = std::move(points);
  document["ceilings"] = list_of(result.ceilings, [](const Ceiling& row) { return facts_of(row); });
  for (const Ceiling& row : datasheet_ceilings(options.datasheets))
    document["ceilings"].push_back(render::json_of(facts_of(row, false)));
  document["curves"] = write_json(result.curves);
  document["files"] = list_of(files);
  document["exercises"] = list_of(questions::exercises_of(data, result, options, operators));
  if (json messages = messages_json(result); !messages.empty()) document["messages"] = std::move(messages);
  return document;
}

}  // namespace gable::report
