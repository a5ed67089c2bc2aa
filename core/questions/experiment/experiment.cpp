#include "core/questions/experiment/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/operator.hpp"
#include "core/sequence.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable::experiment {
namespace {

constexpr std::array all{
    Experiment{"overhead", "the same work in 1, 10, 100 and 1000 launches, and as a graph: where launches cost most",
               false, plan_overhead, answer_overhead},
    Experiment{"fusion", "1, 2, 4 and 8 elementwise stages one by one and fused: what the bytes in between cost", false,
               plan_fusion, answer_fusion},
    Experiment{"batch", "a linear layer from batch 1 on: where it turns from memory-bound to compute-bound", false,
               plan_batch, answer_batch},
    Experiment{"precision", "one operator in every type: what narrower types gain", true, plan_precision,
               answer_precision},
    Experiment{"bytes", "time against bytes: the slope is the bandwidth of each level, its straightness the proof",
               false, plan_bytes, answer_bytes},
    Experiment{"misalignment", "a product of n against n + 1: what a size that fits no tile costs", false,
               plan_misalignment, answer_misalignment},
};

}  // namespace

std::span<const Experiment> experiments() { return all; }

const Experiment& find_experiment(std::string_view name) {
  return find_known(all, name, &Experiment::name, "experiment");
}

std::vector<Case> cases_of(std::string_view name, const DeviceInfo& device, Operators operators) {
  return find_experiment(name).plan(device, operators);
}

std::vector<DType> types_of(Operators operators, const std::vector<Case>& cases) {
  std::vector<DType> all;
  for (const Case& one : cases) {
    for (const Types& types : find_spec(operators, one.op).types) {
      const bool taken = one.dtypes.empty() || std::ranges::count(one.dtypes, types.a) != 0;
      if (taken && std::ranges::count(all, types.a) == 0) all.push_back(types.a);
    }
  }
  return all;
}

std::vector<std::string> missing(const Result& result) {
  std::map<std::string, std::vector<std::string>> rows;
  for (const Point& point : result.points) {
    if (has_time(point)) continue;
    auto& ids = rows[fmt::format("{}: {}", to_string(point.status), point.reason)];
    if (ids.size() < 3)
      ids.push_back(point.id);
    else
      ids[2] = "…";
  }
  return mapped(
      rows, [](const auto& row) { return fmt::format("not judged: {}: {}", fmt::join(row.second, ", "), row.first); });
}

Answer answer_of(const Experiment& experiment, const Result& result) {
  const auto series = experiment.answers(result);
  Answer answer;
  answer
      .add_table(
          "", "",
          table_of(series,
                   [](const SeriesAnswer& one) -> Answer::Facts {
                     return {{"subject", one.subject}, {"rows", Answer::Table(one)}, {"conclusion", one.conclusion}};
                   }))
      .readers = Answer::Readers::programs;
  for (const SeriesAnswer& one : series) answer.show_table(one.subject, one).notes = {one.conclusion};
  auto& rest = answer.add_notes("", missing(result)).notes;
  if (series.empty())
    rest.insert(rest.begin(),
                fmt::format("The result holds nothing that '{}' could be answered from.", experiment.name));
  return answer;
}

Answer experiments_answer() {
  Answer answer;
  answer.add_table("experiments", "", table_of(all, [](const Experiment& one) -> Answer::Facts {
                     return {{"name", "experiment", one.name}, {"summary", "question", one.summary}};
                   }));
  return answer;
}

std::string Series::subject() const {
  return fmt::format("{} {}, {}, {}", op, to_string(types.a), implementation, device);
}

std::vector<Series> series_of(const Result& result, std::string_view op) {
  std::vector<Series> all;
  for (const Point& point : result.points) {
    if (point.op != op || !has_time(point) || point.cold) continue;
    const auto same = [&](const Series& one) {
      return one.device == point.device && one.scope == point.scope && one.implementation == point.implementation &&
             one.types == point.types;
    };
    auto found = std::ranges::find_if(all, same);
    if (found == all.end()) {
      found = all.insert(found, {point.device, point.scope, point.op, point.implementation, point.types, {}});
    }
    found->points.push_back(&point);
  }
  return all;
}

double size_of(const Point& point, std::string_view name) {
  return static_cast<double>(Params::parse(point.params).at(name));
}

}  // namespace gable::experiment
