#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "cli/compare_json_parts.hpp"
#include "cli/compare_parts.hpp"
#include "core/analysis/cost.hpp"
#include "core/analysis/energy.hpp"
#include "core/model/units.hpp"

namespace gable::cli {
namespace {

using namespace analysis;
using namespace report;
using nlohmann::ordered_json;

ordered_json figure_json(const Figure& figure) {
  ordered_json json{
      {"value", figure.value}, {"unit", figure.unit}, {"spread", to_string(figure.spread)}, {"runs", figure.runs}};
  if (figure.low) json["low"] = *figure.low;
  if (figure.high) json["high"] = *figure.high;
  if (figure.spread == Spread::between_runs) {
    json["smallest"] = figure.smallest;
    json["largest"] = figure.largest;
  }
  return json;
}

ordered_json cell_json(const Cell& cell, std::size_t subject) {
  ordered_json json{{"subject", subject}};
  json.update(figure_json(cell.figure));
  json["implementation"] = cell.implementation;
  if (cell.ratio) json["ratio"] = ratio_json(*cell.ratio);
  if (cell.power_w) json["power_w"] = *cell.power_w;
  return json;
}

/// "flop/s" with power: "flop_per_joule".
std::string work_per(const std::string& unit, const char* what) {
  return fmt::format("{}_per_{}", unit.substr(0, unit.find('/')), what);
}

ordered_json key_json(const CeilingKey& key) {
  ordered_json json{{"kind", to_string(key.kind)}, {"name", key.name}};
  if (key.dtype) json["dtype"] = to_string(*key.dtype);
  if (key.accumulate) json["accumulate"] = to_string(*key.accumulate);
  json["access"] = to_string(key.access);
  json["stores"] = to_string(key.stores);
  json["at"] = to_string(key.at);
  json["variant"] = key.variant;
  json["scope"] = to_string(key.scope);
  return json;
}

ordered_json key_json(const PointKey& key) {
  const Types& types = key.types;
  return {{"operator", key.op},
          {"params", key.params},
          {"types",
           {{"a", to_string(types.a)},
            {"b", to_string(types.b)},
            {"out", to_string(types.out)},
            {"accumulate", to_string(types.accumulate)},
            {"compute", to_string(types.compute)}}},
          {"cold", key.cold},
          {"launches", key.launches},
          {"graph", key.graph},
          {"scope", to_string(key.scope)}};
}

ordered_json used_json(const UsedRoof& roof) {
  return {{"label", roof.label}, {"value", roof.rate}, {"unit", roof.unit}, {"at", to_string(roof.at)}};
}

ordered_json ceilings_json(const std::vector<CeilingRow>& rows, const CompareOptions& options) {
  auto list = ordered_json::array();
  for (const CeilingRow& row : rows) {
    ordered_json json = key_json(row.key);
    json["higher_is_better"] = row.cells[0]->figure.higher_is_better;
    json["figures"] = ordered_json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.cells[i]) continue;
      const CeilingCell& cell = *row.cells[i];
      ordered_json figure = cell_json(cell, i);
      figure["at"] = to_string(cell.key.at);
      figure["like_the_baseline"] = cell.like;
      if (cell.bandwidth) figure["bandwidth_roof"] = used_json(*cell.bandwidth);
      if (cell.datasheet) figure["percent_of_datasheet"] = 100 * cell.figure.value / *cell.datasheet;
      const std::string& unit = cell.figure.unit;
      const bool rate = is_rate(unit);
      if (rate && cell.power_w) figure[work_per(unit, "joule")] = work_per_joule(cell.figure.value, *cell.power_w);
      if (rate && row.key.scope == Scope::node && !options.prices.empty() && options.prices[i])
        figure[work_per(unit, "price_unit")] = work_per_price(cell.figure.value, *options.prices[i]);
      json["figures"].push_back(std::move(figure));
    }
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json placement_json(const Placement& placement) {
  if (!placement.placed()) return {{"missing", placement.missing}};
  return {{"regime", to_string(placement.regime)},
          {"limit", placement.bound.limit.label},
          {"bound_s", placement.bound.time_s},
          {"fraction_of_bound", placement.fraction},
          {"above_the_bound", placement.above_roof()}};
}

ordered_json speedup_json(const Speedup& speedup) {
  ordered_json json{{"roof_of_baseline", roof_name(speedup.roof)},
                    {"like", speedup.like},
                    {"of_roof", speedup.of_roof},
                    {"of_others", speedup.of_others},
                    {"of_fraction", speedup.of_fraction}};
  if (!speedup.of_a.label.empty()) json["baseline_roof"] = used_json(speedup.of_a);
  if (!speedup.of_b.label.empty()) json["roof"] = used_json(speedup.of_b);
  if (speedup.bandwidth) json["bandwidth_alone"] = *speedup.bandwidth;
  if (speedup.compute) json["compute_alone"] = *speedup.compute;
  return json;
}

ordered_json energy_json(double time_s, double power_w, double flop, double byte) {
  ordered_json json{{"energy_j", energy_j(time_s, power_w)}};
  if (flop > 0) json["flop_per_joule"] = work_per_joule(flop / time_s, power_w);
  if (byte > 0) json["byte_per_joule"] = work_per_joule(byte / time_s, power_w);
  return json;
}

ordered_json operators_json(const std::vector<OperatorRow>& rows) {
  auto list = ordered_json::array();
  for (const OperatorRow& row : rows) {
    ordered_json json = key_json(row.key);
    if (row.count) json["count"] = *row.count;
    json["figures"] = ordered_json::array();
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (!row.cells[i]) continue;
      const OperatorCell& cell = *row.cells[i];
      ordered_json figure = cell_json(cell, i);
      figure["params"] = cell.key.params;
      figure["like_the_baseline"] = cell.like;
      figure["flop"] = cell.flop;
      figure["byte"] = cell.byte;
      figure.update(placement_json(cell.placement));
      if (cell.speedup) figure["factors"] = speedup_json(*cell.speedup);
      if (cell.power_w) figure.update(energy_json(cell.figure.value, *cell.power_w, cell.flop, cell.byte));
      if (cell.cost) figure["cost_in_price_units"] = *cell.cost;
      json["figures"].push_back(std::move(figure));
    }
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json subject_json(const Subject& subject) {
  ordered_json json{
      {"name", subject.name}, {"host", subject.host}, {"basis", basis_text(subject.basis, subject.source)}};
  if (!subject.device.memory.empty()) json["memory"] = subject.device.memory.back().name;
  json["runs"] = ordered_json::array();
  for (const Run& run : subject.runs)
    json["runs"].push_back({{"source", run.source},
                            {"started_at", run.started_at},
                            {"mode", run.mode},
                            {"version", run.build.version},
                            {"commit", run.build.commit}});
  json["left_out"] = ordered_json::array();
  for (const LeftOut& row : subject.left_out)
    json["left_out"].push_back({{"source", row.source},
                                {"id", row.id},
                                {"status", to_string(row.status)},
                                {"reason", row.reason},
                                {"label", row.label}});
  return json;
}

/// What sides tell that differ, then what only some tell.
ordered_json circumstances_json(const Circumstances& circumstances) {
  auto list = ordered_json::array();
  const auto add = [&](const std::vector<Circumstance>& all, bool differs) {
    for (const Circumstance& one : all) {
      ordered_json json{{"name", one.name}, {"differs", differs}, {"told", ordered_json::array()}};
      for (std::size_t i = 0; i < one.told.size(); ++i)
        if (!one.told[i].empty()) json["told"].push_back({{"subject", i}, {"values", one.told[i]}});
      list.push_back(std::move(json));
    }
  };
  add(circumstances.differing, true);
  add(circumstances.told_by_some, false);
  return list;
}

const char* weights_name(const CompareOptions& options) {
  if (!options.weights.empty()) return "name";
  return options.by_time ? "time" : "operator";
}

ordered_json means_json(const Compared& compared) {
  auto list = ordered_json::array();
  for (std::size_t i = 0; i < compared.answer.means.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (!mean) continue;
    ordered_json json{{"subject", i},
                      {"weights", weights_name(compared.options)},
                      {"ratio", ratio_json(mean->ratio)},
                      {"rows", mean->rows},
                      {"operators", mean->operators},
                      {"baseline_s", mean->baseline_s},
                      {"time_s", mean->other_s},
                      {"counted", mean->counted}};
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

ordered_json ratio_json(const Ratio& ratio) {
  ordered_json json{{"value", ratio.value}};
  if (ratio.low && ratio.high) {
    json["low"] = *ratio.low;
    json["high"] = *ratio.high;
    if (const auto difference = ratio.difference()) json["difference"] = to_string(*difference);
  }
  return json;
}

std::string compare_json(const Compared& compared, const std::optional<TotalCost>& cost) {
  ordered_json json;
  json["subjects"] = ordered_json::array();
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    ordered_json subject = subject_json(compared.subjects[i]);
    const auto& prices = compared.options.prices;
    if (!prices.empty() && prices[i]) subject["price_per_hour"] = *prices[i];
    json["subjects"].push_back(std::move(subject));
  }
  json["ceilings"] = ceilings_json(compared.answer.ceilings, compared.options);
  json["ridges"] = ceilings_json(compared.answer.ridges, {});
  json["operators"] = operators_json(compared.answer.operators);
  json["means"] = means_json(compared);
  if (cost) json["total_cost"] = total_cost_json(*cost);
  json["what_else_differs"] = circumstances_json(compared.answer.circumstances);
  json["unpaired"] = ordered_json::array();
  for (const Unpaired& list : compared.answer.unpaired)
    json["unpaired"].push_back({{"subject", list.subject}, {"quantities", list.labels}});
  return json.dump(2) + '\n';
}

std::string repeats_json(const Subject& subject) {
  ordered_json json{
      {"subject", subject_json(subject)}, {"ceilings", ordered_json::array()}, {"operators", ordered_json::array()}};
  const auto row_of = [](const auto& quantity) {
    ordered_json row = key_json(quantity.key);
    row.update(figure_json(quantity.figure));
    row["implementation"] = quantity.implementation;
    if (const auto power_w = power_of(quantity)) row["power_w"] = *power_w;
    return row;
  };
  for (const CeilingQuantity& quantity : subject.ceilings) {
    ordered_json row = row_of(quantity);
    const Figure& figure = quantity.figure;
    const auto power_w = power_of(quantity);
    if (power_w && is_rate(figure.unit)) row[work_per(figure.unit, "joule")] = work_per_joule(figure.value, *power_w);
    json["ceilings"].push_back(std::move(row));
  }
  for (const PointQuantity& quantity : subject.points) {
    ordered_json row = row_of(quantity);
    const auto& stages = quantity.rows.front().stages;
    if (const auto power_w = power_of(quantity))
      row.update(energy_json(quantity.figure.value, *power_w, flops(stages), bytes(stages)));
    json["operators"].push_back(std::move(row));
  }
  json["what_else_differs"] = circumstances_json(circumstances_of(std::span(&subject, 1)));
  return json.dump(2) + '\n';
}

}  // namespace gable::cli
