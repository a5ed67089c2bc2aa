#pragma once
#include <fmt/format.h>

#include <string>

#include "core/questions/campaign/plan.hpp"
#include "core/questions/campaign/summary.hpp"

namespace gable::campaign::test {

inline constexpr const char* plan_of_fleet = "a-plan";

/// A node with one device, whose memory moves `byte_per_s` and whose launch takes `launch_s`, both within 0.1 %.
inline NodeSummary made_up_node(const std::string& name, double byte_per_s, double launch_s) {
  NodeSummary summary{.plan = plan_of_fleet, .node = name};
  summary.measured_at = "2026-11-23T12:00:00Z";
  summary.mode = Mode::quick;
  summary.devices = {{"cuda:0", "A GPU"}};
  summary.facts = {{"driver (cuda)", "570.1"}, {"kernel", "6.1"}};
  SummaryRow memory{.name = "ceiling/bandwidth/HBM/read", .unit = "byte/s"}, launch = memory;
  const auto measured = [](SummaryRow& row, double value) {
    row.value = value;
    row.low = value * 0.999;
    row.high = value * 1.001;
    row.clock_hz = 2e9;
    row.power_w = 500;
    row.temperature_c = 60;
  };
  measured(memory, byte_per_s);
  launch.name = "ceiling/overhead/launch";
  launch.unit = "s";
  measured(launch, launch_s);
  summary.rows = {memory, launch};
  return summary;
}

inline Plan made_up_plan(std::vector<std::string> nodes) {
  Plan plan;
  plan.id = plan_of_fleet;
  plan.nodes = std::move(nodes);
  return plan;
}

inline std::string node_number(int i) { return fmt::format("n{:03}", i); }

}  // namespace gable::campaign::test
