#include "core/questions/campaign/plan.hpp"

#include <fmt/format.h>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/json/parse.hpp"
#include "core/questions/campaign/folder.hpp"
#include "core/questions/campaign/nodelist.hpp"
#include "core/result/fields.hpp"
#include "core/text/naming.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"

namespace gable::campaign {

using nlohmann::json;

namespace {

constexpr const char* plan_format = "gable-campaign-plan";
/// Of the UUIDs of plans: made up once, at random.
constexpr boost::uuids::uuid plan_namespace = {
    {0x5d, 0x1f, 0x0c, 0x2e, 0x8b, 0x57, 0x4a, 0x61, 0x9e, 0x33, 0x70, 0xa4, 0xc6, 0x1b, 0x92, 0xe8}};

template <class A, SameStruct<Plan> S>
void plan_fields(A& a, S& s) {
  a.field("created_at", s.created_at);
  a.field("gable_version", s.gable_version);
  a.field("options", s.options);
  a.field("devices", s.devices);
  a.field("retry_budget_s", s.retry_budget_s);
  a.field("request", s.request);
}

json to_json(const Plan& plan) {
  JsonWriter writer;
  plan_fields(writer, plan);
  json document = writer.take();
  document["format"] = plan_format;
  document["schema_version"] = plan_version;
  document["nodes"] = compress_nodelist(plan.nodes);
  return document;
}

/// Of a document without its id: nlohmann's objects are sorted by their keys, so equal plans are equal texts.
std::string id_of(const json& document) {
  return to_string(boost::uuids::name_generator_sha1(plan_namespace)(dump_json(document, -1)));
}

Plan from_json(json document) {
  const JsonLocation place(document);
  if (!document.is_object() || !document.contains("format") || document["format"] != plan_format)
    throw Error("not the plan of a campaign");
  const JsonReader reader(place);
  int version{};
  reader.field("schema_version", version);
  if (version != plan_version)
    throw Error(fmt::format("it is of version {}; this gable reads {} only", version, plan_version));
  Plan plan;
  std::string nodes;
  reader.field("id", plan.id);
  reader.field("nodes", nodes);
  plan_fields(reader, plan);
  if (!nodes.empty()) plan.nodes = expand_nodelist(nodes);
  document.erase("id");
  if (plan.id != id_of(document))
    throw Error("its id is not that of its content: it was changed; begin another campaign with gable campaign init");
  return plan;
}

/// The line of a script that runs a step.
std::string step_line(const BatchStep& step) {
  const std::string where =
      step.nodes.empty() ? ""
                         : fmt::format("--nodes={} --nodelist={} ", step.nodes.size(), compress_nodelist(step.nodes));
  std::string which;
  if (step.retest != 0) which += fmt::format(" --retest {}", step.retest);
  if (step.round != 1) which += fmt::format(" --round {}", step.round);
  return fmt::format(
      "srun {}--ntasks-per-node=1 --cpu-bind=none --kill-on-bad-exit=0 --no-kill \"$GABLE\" campaign run "
      "\"$CAMPAIGN\"{}\n",
      where, which);
}

}  // namespace

std::string plan_id(const Plan& plan) { return id_of(to_json(plan)); }

std::string plan_text(const Plan& plan) {
  json document = to_json(plan);
  document["id"] = id_of(to_json(plan));
  return dump_json(document, 1) + "\n";
}

Plan read_plan(const std::filesystem::path& folder) {
  const auto path = plan_file(folder);
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    throw Error(fmt::format("'{}' is no campaign: it has no plan.json; 'gable campaign init' makes one",
                            printable(folder.string())));
  const std::string text = read_text(path);
  return naming(path.string(), [&] { return from_json(parse_json(text)); });
}

std::string batch_script(const Plan& plan, const std::filesystem::path& folder, const std::filesystem::path& program,
                         const std::vector<std::string>& nodes, const std::vector<BatchStep>& steps) {
  const std::string which =
      nodes.empty() ? "##SBATCH --nodes=4  # take away the first # and say how many"
                    : fmt::format(
                          "#SBATCH --nodes={}\n# A node that is down or drained keeps the job waiting: take it from "
                          "the list, and one from the number.\n#SBATCH --nodelist={}",
                          nodes.size(), compress_nodelist(nodes));
  const std::vector<BatchStep> all = steps.empty() ? std::vector<BatchStep>(1) : steps;
  std::string lines;
  for (const BatchStep& step : all) lines += step_line(step);
  const std::size_t minutes = (plan.request.mode == Mode::full ? 120 : 30) * all.size();
  return fmt::format(
      R"(#!/bin/bash
# Measures the nodes of a campaign: one task a node, without MPI. Look it over, then: sbatch {}
# After the time limit or a preemption submit it again: finished nodes are left alone, others go on where they were.
#SBATCH --job-name=gable
{}
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time={:02}:{:02}:00
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --open-mode=append
#SBATCH --signal=TERM@60
##SBATCH --partition=NAME
# GPUs are seen only where they are asked for:
##SBATCH --gpus-per-node=8

GABLE=${{GABLE:-{}}}
CAMPAIGN=${{CAMPAIGN:-{}}}
{})",
      batch_file(folder, all.front().retest).filename().string(), which, minutes / 60, minutes % 60,
      for_shell(program.string()), for_shell(folder.string()), lines);
}

}  // namespace gable::campaign
