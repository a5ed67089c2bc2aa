#include "core/questions/network/message_plot.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "core/error.hpp"

namespace gable::questions {
namespace {

/// 2 us and 10 GB/s; 8000 bytes took 4 us.
Result network() {
  Result result;
  result.devices.emplace_back().id = "mpi";
  result.devices.front().name = "2 ranks on 2 nodes";
  for (const bool latency : {true, false}) {
    Ceiling& row = result.ceilings.emplace_back();
    row.device = "mpi";
    row.kind = CeilingKind::link;
    row.name = "between_nodes";
    row.unit = latency ? "s" : "byte/s";
    row.variant = latency ? "8_bytes" : "one_direction_4194304_bytes";
    row.value.value = latency ? 2e-6 : 10e9;
  }
  Curve& curve = result.curves.emplace_back();
  curve.device = "mpi";
  curve.name = "message_latency";
  curve.series = "between_nodes";
  curve.x = {8, 8000};
  curve.y = {2e-6, 4e-6};
  return result;
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(MessagePlot, HasPeakLatencyAndWhatWasReached) {
  const std::string script = message_script(network(), {}, render::Format::svg, "messages.svg");
  EXPECT_TRUE(holds(script, "between_nodes: peak 10 GB/s")) << script;
  EXPECT_TRUE(holds(script, "between_nodes: latency 2 us")) << script;
  EXPECT_TRUE(holds(script, "between_nodes: 1 message a wait")) << script;
  EXPECT_TRUE(holds(script, "\n8000 2e+09\n")) << "8 kB in 4 us: " << script;
  EXPECT_TRUE(holds(script, "\n20000 1e+10\n")) << "the roofs meet at latency x peak: " << script;
  EXPECT_TRUE(holds(script, "2 ranks on 2 nodes")) << script;
  EXPECT_TRUE(holds(script, "set key outside right")) << script;
}

TEST(MessagePlot, IsOfNetworksAlone) {
  Result result = network();
  EXPECT_TRUE(is_of_networks(result));
  result.devices.emplace_back().id = "openmp";
  EXPECT_FALSE(is_of_networks(result)) << "a processor's picture is its roofline";
  EXPECT_FALSE(is_of_networks({}));
}

TEST(MessagePlot, DrawsOneNetwork) {
  Result result = network();
  result.devices.push_back(result.devices.front());
  EXPECT_THROW((void)message_script(result, {}, render::Format::svg, "messages.svg"), Error);
}

TEST(MessagePlot, DevicesMemoryHasSeriesOfItsOwn) {
  Result result = network();
  for (std::size_t i = 0; i < 2; ++i) {
    Ceiling row = result.ceilings[i];
    row.name = "between_nodes_device";
    row.implementation = "nccl";
    row.value.value *= 4;
    result.ceilings.push_back(row);
  }
  const std::string script = message_script(result, {}, render::Format::svg, "messages.svg");
  EXPECT_TRUE(holds(script, "\"between_nodes: peak 10 GB/s\"")) << script;
  EXPECT_TRUE(holds(script, "\"between_nodes, device memory by NCCL: peak 40 GB/s\"")) << script;
  EXPECT_TRUE(holds(script, "\"between_nodes, device memory by NCCL: latency 8 us\"")) << script;
  EXPECT_TRUE(holds(script, "set key below")) << "such labels beside the axes would leave these no room: " << script;
}

TEST(MessagePlot, SuspectRowsAreNoRoofs) {
  Result result = network();
  for (Ceiling& row : result.ceilings) row.status = Status::suspect;
  const std::string script = message_script(result, {}, render::Format::svg, "messages.svg");
  EXPECT_FALSE(holds(script, "peak")) << script;
  EXPECT_TRUE(holds(script, "1 message a wait")) << script;
}

}  // namespace
}  // namespace gable::questions
