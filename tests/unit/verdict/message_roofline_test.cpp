#include "core/verdict/message_roofline.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/questions/plan/inference_plan.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable {
namespace {

void add_curve(Result& result, std::string name, std::string series, std::vector<double> x, std::vector<double> y) {
  Curve curve{
      .device = "openmp", .name = std::move(name), .series = std::move(series), .x = std::move(x), .y = std::move(y)};
  result.curves.push_back(std::move(curve));
}

/// Between nodes 2 us and 10 GB/s: 20 kB must be under way.
Result network() {
  Result result = test::made_up_result("4 ranks on 2 nodes");
  test::add_row(result, CeilingKind::link, "between_nodes", "s", 2e-6).variant = "8_bytes";
  test::add_row(result, CeilingKind::link, "between_nodes", "byte/s", 10e9).variant = "one_direction_4194304_bytes";
  test::add_row(result, CeilingKind::link, "between_nodes", "byte/s", 18e9).variant = "two_directions_4194304_bytes";
  add_curve(result, "message_latency", "between_nodes", {1, 8000}, {2e-6, 4e-6});
  add_curve(result, "message_sizes", "between_nodes, one_direction", {1, 8000}, {30e6, 9e9});
  add_curve(result, "messages_per_synchronisation", "between_nodes, 8 bytes", {1, 4, 64}, {1e6, 6e6, 90e6});
  return result;
}

TEST(MessageRoofline, IsLatencyTimesMessagesUpToThePeakOfOneDirection) {
  const auto all = message_rooflines(network(), "openmp");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].way, "between_nodes");
  EXPECT_DOUBLE_EQ(*all[0].bytes_under_way(), 20000);
  EXPECT_DOUBLE_EQ(*all[0].attainable(2000, 1), 1e9) << "2 kB in 2 us";
  EXPECT_DOUBLE_EQ(*all[0].attainable(2000, 4), 4e9);
  EXPECT_DOUBLE_EQ(*all[0].attainable(2000, 64), 10e9) << "not the rate of both directions";
}

/// One message is half a round trip; with an answer to each, as the curve over messages has it, it would be a whole.
TEST(MessageRoofline, WhatWasReachedStandsByMessagesAndSize) {
  const auto reached = message_rooflines(network(), "openmp").at(0).reached;
  ASSERT_EQ(reached.size(), 3U);
  EXPECT_EQ(reached[0].messages, 1);
  EXPECT_EQ(reached[0].bytes, (std::vector<double>{1, 8000}));
  EXPECT_DOUBLE_EQ(reached[0].byte_per_s[1], 2e9) << "8 kB in 4 us";
  EXPECT_EQ(reached[1].messages, 4);
  EXPECT_EQ(reached[1].byte_per_s, std::vector<double>{6e6});
  EXPECT_EQ(reached[2].messages, 64);
  EXPECT_EQ(reached[2].bytes, (std::vector<double>{1, 8, 8000}));
}

TEST(MessageRoofline, SuspectRowsAreNoRoofs) {
  Result result = network();
  for (Ceiling& row : result.ceilings) row.status = Status::suspect;
  const auto all = message_rooflines(result, "openmp");
  ASSERT_EQ(all.size(), 1U) << "what was reached is there all the same";
  EXPECT_FALSE(all[0].attainable(8, 1));
  EXPECT_FALSE(message_link(result, "openmp", "between_nodes", host_media));
}

TEST(MessageRoofline, FiguresThatAreNoneAreLeftOut) {
  Result result = network();
  for (Curve& curve : result.curves) curve.y.assign(curve.y.size(), 0.0);
  EXPECT_TRUE(message_rooflines(result, "openmp").at(0).reached.empty());
}

TEST(MessageRoofline, OtherResultsHaveNone) {
  EXPECT_TRUE(message_rooflines(test::made_up_result("CPU"), "openmp").empty());
}

TEST(MessageRoofline, CollectivesAreJudgedByBusBandwidthAlone) {
  Result result = network();
  test::add_row(result, CeilingKind::link, "all_reduce", "byte/s", 10e9).variant = "algorithm_bandwidth_4194304_bytes";
  test::add_row(result, CeilingKind::link, "all_reduce", "byte/s", 7.5e9).variant = "bus_bandwidth_4194304_bytes";
  test::add_row(result, CeilingKind::link, "all_reduce_device", "byte/s", 300e9).variant =
      "bus_bandwidth_4194304_bytes";
  const auto judged = judged_collectives(result, "openmp");
  ASSERT_EQ(judged.size(), 1U);
  EXPECT_EQ(judged[0].name, "all_reduce");
  EXPECT_EQ(judged[0].way, "between_nodes");
  EXPECT_DOUBLE_EQ(judged[0].fraction, 0.75);
}

/// 8 devices: 14 steps of an eighth of 160 kB, each 2 us and 2 us of latency. A sum of 16 kB: 14 x (2 + 0.2) us.
TEST(MessageLink, IsARingOfAnyNumberOfDevices) {
  const auto link = message_link(network(), "openmp", "between_nodes", host_media);
  ASSERT_TRUE(link);
  EXPECT_NEAR(link->ring_all_reduce_s(160e3, 8), 56e-6, 1e-12);
  MachineModel machine = machine_of(catalogue::find_device("H100 SXM5 80GB"));
  machine.message_link = link;
  const auto plan =
      plan_inference(questions::find_transformer("Llama-3-70B"), machine, {.batch = 1, .context = 16, .devices = 8});
  EXPECT_NEAR(*plan.decode.all_reduce_s, 160 * 14 * (2e-6 + 16384.0 / 8 / 10e9), 1e-9) << "two sums a layer";
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes[0].find("link: a ring of 8 devices"), 0U) << plan.notes[0];
}

/// Ranks of two nodes cross the way between them, whatever was measured inside a node.
TEST(MessageRoofline, CollectivesOfNodesAreNotJudgedByTheWayInsideOne) {
  Result result = network();
  for (Ceiling& row : result.ceilings) row.status = Status::suspect;
  test::add_row(result, CeilingKind::link, "inside_node", "s", 1e-6).variant = "8_bytes";
  test::add_row(result, CeilingKind::link, "inside_node", "byte/s", 50e9).variant = "one_direction_4194304_bytes";
  test::add_row(result, CeilingKind::link, "all_reduce", "byte/s", 7.5e9).variant = "bus_bandwidth_4194304_bytes";
  EXPECT_TRUE(judged_collectives(result, "openmp").empty());
  EXPECT_FALSE(widest_message_link(result, "openmp", host_media));
  EXPECT_TRUE(message_link(result, "openmp", "inside_node", host_media)) << "it may be named";
}

/// The all-reduce of 4 ranks counts for 4 devices, for 8 a ring of the widest way does, and the note says both.
TEST(MessageLink, StandsInForAnAllReduceOfAnotherNumberOfRanks) {
  Result result = network();
  auto& row = test::add_row(result, CeilingKind::link, "all_reduce", "byte/s", 7.5e9);
  row.variant = "bus_bandwidth_4194304_bytes";
  row.threads = 4;
  MachineModel machine = machine_of(catalogue::find_device("H100 SXM5 80GB"));
  questions::set_network(machine, result, "net.json", "", 4);
  const auto plan_of = [&](questions::Count devices) {
    return plan_inference(questions::find_transformer("Llama-3-70B"), machine,
                          {.batch = 1, .context = 16, .devices = devices});
  };
  EXPECT_NEAR(*plan_of(4).decode.all_reduce_s, 160 * 1.5 * 16384 / 7.5e9, 1e-9) << "2 (n - 1) / n, twice a layer";
  const auto eight = plan_of(8);
  EXPECT_NEAR(*eight.decode.all_reduce_s, 160 * 14 * (2e-6 + 16384.0 / 8 / 10e9), 1e-9);
  ASSERT_EQ(eight.notes.size(), 1U);
  EXPECT_NE(eight.notes[0].find("its all-reduce is one of 4 ranks"), std::string::npos) << eight.notes[0];
}

/// The network above, and the same between devices by MPI (50 GB/s) and by NCCL (400 GB/s), each with an all-reduce.
Result network_of_devices() {
  Result result = network();
  const auto add = [&](const char* name, const char* implementation, const char* variant, const char* unit,
                       double value) {
    auto& row = test::add_row(result, CeilingKind::link, name, unit, value);
    row.implementation = implementation;
    row.variant = variant;
    row.threads = 4;
  };
  add("all_reduce", "mpi", "bus_bandwidth_4194304_bytes", "byte/s", 7e9);
  for (const bool nccl : {false, true}) {
    const char* by = nccl ? "nccl" : "mpi";
    add("between_nodes_device", by, "8_bytes", "s", nccl ? 8e-6 : 4e-6);
    add("between_nodes_device", by, "one_direction_4194304_bytes", "byte/s", nccl ? 400e9 : 50e9);
    add("all_reduce_device", by, "bus_bandwidth_4194304_bytes", "byte/s", nccl ? 300e9 : 40e9);
  }
  add_curve(result, "message_latency", "between_nodes_device by nccl", {8, 80000}, {8e-6, 10e-6});
  return result;
}

MachineModel linked_by(const Result& result, std::string_view name, questions::Count devices = 4) {
  MachineModel machine = machine_of(catalogue::find_device("H100 SXM5 80GB"));
  questions::set_network(machine, result, "net.json", name, devices);
  return machine;
}

TEST(MessageRoofline, HasSeriesOfItsOwnForEachMedium) {
  const auto all = message_rooflines(network_of_devices(), "openmp");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].label(), "between_nodes");
  EXPECT_EQ(all[0].reached.size(), 3U);
  EXPECT_EQ(all[1].label(), "between_nodes, device memory by MPI");
  EXPECT_DOUBLE_EQ(*all[1].peak_byte_per_s, 50e9);
  EXPECT_TRUE(all[1].reached.empty()) << "no curve is of it";
  EXPECT_EQ(all[2].label(), "between_nodes, device memory by NCCL");
  EXPECT_DOUBLE_EQ(*all[2].latency_s, 8e-6);
  ASSERT_EQ(all[2].reached.size(), 1U);
  EXPECT_DOUBLE_EQ(all[2].reached[0].byte_per_s[1], 8e9) << "80 kB in 10 us";
}

TEST(MessageRoofline, CollectivesAreJudgedByTheLinksOfTheirMedium) {
  const auto judged = judged_collectives(network_of_devices(), "openmp");
  ASSERT_EQ(judged.size(), 3U);
  EXPECT_DOUBLE_EQ(judged[0].fraction, 0.7);
  EXPECT_DOUBLE_EQ(judged[1].fraction, 0.8);
  EXPECT_EQ(judged[2].medium, MessageMedium::nccl);
  EXPECT_DOUBLE_EQ(judged[2].fraction, 0.75);
}

TEST(NetworkLink, DevicesCountBeforeHostsAndTheVendorsCallsBeforeMpi) {
  Result result = network_of_devices();
  MachineModel machine = linked_by(result, "");
  EXPECT_EQ(machine.all_reduce->medium, MessageMedium::nccl);
  EXPECT_DOUBLE_EQ(machine.message_link->peak_byte_per_s, 400e9);
  const auto plan =
      plan_inference(questions::find_transformer("Llama-3-70B"), machine, {.batch = 1, .context = 16, .devices = 4});
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_NE(plan.notes[0].find("device memory by NCCL"), std::string::npos) << plan.notes[0];
  for (Ceiling& row : result.ceilings) {
    if (row.implementation == "nccl") row.status = Status::unsupported;
  }
  machine = linked_by(result, "");
  EXPECT_EQ(machine.all_reduce->medium, MessageMedium::device);
  EXPECT_DOUBLE_EQ(machine.message_link->peak_byte_per_s, 50e9);
  for (Ceiling& row : result.ceilings) {
    if (row.name.ends_with("_device")) row.status = Status::unsupported;
  }
  machine = linked_by(result, "");
  EXPECT_EQ(machine.all_reduce->medium, MessageMedium::host);
  EXPECT_DOUBLE_EQ(machine.message_link->peak_byte_per_s, 10e9);
}

/// The hosts' all-reduce says nothing of devices whose links are known.
TEST(NetworkLink, NoFigureOfHostsStandsBesideThoseOfDevices) {
  Result result = network_of_devices();
  for (Ceiling& row : result.ceilings) {
    if (row.name == "all_reduce_device") row.status = Status::suspect;
  }
  const MachineModel machine = linked_by(result, "");
  EXPECT_FALSE(machine.all_reduce);
  EXPECT_EQ(machine.message_link->medium, MessageMedium::nccl);
}

/// Two nodes of which NCCL measured what is inside one and no more: a run that ended early, or a library that failed.
TEST(NetworkLink, TheWayInsideANodeNeverStandsForTheOneBetweenThem) {
  Result result = test::made_up_result("16 ranks on 2 nodes");
  for (const char* host : {"a", "b"}) result.devices[0].facts.push_back({"rank", host, "MPI_Get_processor_name"});
  const auto add = [&](const char* name, const char* implementation, double latency_s, double peak) {
    for (const bool latency : {true, false}) {
      auto& row = test::add_row(result, CeilingKind::link, name, latency ? "s" : "byte/s", latency ? latency_s : peak);
      row.variant = latency ? "8_bytes" : "one_direction_4194304_bytes";
      row.implementation = implementation;
    }
  };
  add("inside_node_device", "nccl", 8e-6, 400e9);
  EXPECT_THROW((void)linked_by(result, ""), Error) << "nothing is known of the way between them";
  EXPECT_DOUBLE_EQ(linked_by(result, "inside_node").message_link->peak_byte_per_s, 400e9) << "it may be named";
  add("between_nodes", "mpi", 2e-6, 10e9);
  const MachineModel machine = linked_by(result, "");
  EXPECT_EQ(machine.message_link->medium, MessageMedium::host);
  EXPECT_EQ(machine.message_link->way, "between_nodes");
  EXPECT_DOUBLE_EQ(machine.message_link->peak_byte_per_s, 10e9);
}

/// What a run did not come to may be what the plan would have taken.
TEST(NetworkLink, SaysThatTheFileIsIncomplete) {
  Result result = network_of_devices();
  const auto notes = [&](questions::Count devices) {
    return plan_inference(questions::find_transformer("Llama-3-70B"), linked_by(result, ""),
                          {.batch = 1, .context = 16, .devices = devices})
        .notes;
  };
  for (const bool complete : {true, false}) {
    result.run.complete = complete;
    for (const questions::Count devices : {4, 8}) {
      ASSERT_EQ(notes(devices).size(), 1U);
      const std::string note = notes(devices)[0];
      EXPECT_EQ(note.find("net.json, incomplete") == std::string::npos, complete) << note;
    }
  }
}

/// One result of the network above (4 ranks) and of a slower one of 8 ranks, as `gable report --output` makes it.
Result two_networks() {
  Result result = network_of_devices();
  Result other = network();
  test::add_row(other, CeilingKind::link, "all_reduce", "byte/s", 1e9).variant = "bus_bandwidth_4194304_bytes";
  other.devices[0].id = "elsewhere:mpi";
  other.devices[0].threads = 8;
  for (Ceiling& row : other.ceilings) {
    row.device = "elsewhere:mpi";
    row.threads = 8;
    row.value.value /= 10;
    result.ceilings.push_back(row);
  }
  result.devices.push_back(other.devices[0]);
  return result;
}

TEST(NetworkLink, BothFiguresAreOfTheNetworkWithAsManyRanks) {
  const MachineModel four = linked_by(two_networks(), "host", 4), eight = linked_by(two_networks(), "host", 8);
  EXPECT_EQ(four.all_reduce->ranks, 4);
  EXPECT_DOUBLE_EQ(four.message_link->peak_byte_per_s, 10e9);
  EXPECT_EQ(eight.all_reduce->ranks, 8);
  EXPECT_DOUBLE_EQ(eight.all_reduce->bus_byte_per_s, 1e8);
  EXPECT_DOUBLE_EQ(eight.message_link->peak_byte_per_s, 1e9);
}

TEST(NetworkLink, OfSeveralNetworksThatFitAlikeNoneIsTaken) {
  const auto told = [](const Result& result, questions::Count devices) -> std::string {
    return error_of([&] { (void)linked_by(result, "", devices); });
  };
  Result result = two_networks();
  EXPECT_EQ(told(result, 16),
            "net.json is of several networks, none of them of 16 ranks: openmp (4 ranks on 2 nodes), elsewhere:mpi (4 "
            "ranks on 2 nodes); name the file of one");
  result.devices[1].threads = 4;
  EXPECT_NE(told(result, 4).find("2 of them of 4 ranks"), std::string::npos) << told(result, 4);
}

/// A CPU's buffers are in its host's memory: what NCCL moves between GPUs says nothing of them.
TEST(NetworkLink, OfACpuIsThatOfHostsMemory) {
  const Result network = network_of_devices();
  MachineModel cpu = machine_of(test::made_up_result("Some CPU"), "openmp", Scope::node);
  questions::set_network(cpu, network, "net.json", "", 4);
  EXPECT_EQ(cpu.all_reduce->medium, MessageMedium::host);
  EXPECT_DOUBLE_EQ(cpu.message_link->peak_byte_per_s, 10e9);
  questions::set_network(cpu, network, "net.json", "nccl", 4);
  EXPECT_DOUBLE_EQ(cpu.message_link->peak_byte_per_s, 400e9) << "it may be named";
  Result of_devices = network;
  for (Ceiling& row : of_devices.ceilings) {
    if (!row.name.ends_with("_device")) row.status = Status::suspect;
  }
  EXPECT_THROW(questions::set_network(cpu, of_devices, "net.json", "", 4), Error);
}

TEST(NetworkLink, IsWhatItsNameSays) {
  const Result result = network_of_devices();
  EXPECT_DOUBLE_EQ(linked_by(result, "host").all_reduce->bus_byte_per_s, 7e9);
  EXPECT_DOUBLE_EQ(linked_by(result, "device").all_reduce->bus_byte_per_s, 40e9);
  EXPECT_DOUBLE_EQ(linked_by(result, "nccl").all_reduce->bus_byte_per_s, 300e9);
  const MachineModel way = linked_by(result, "between_nodes"), host = linked_by(result, "host:between_nodes");
  EXPECT_FALSE(way.all_reduce) << "its links alone";
  EXPECT_DOUBLE_EQ(way.message_link->peak_byte_per_s, 400e9);
  EXPECT_FALSE(host.all_reduce);
  EXPECT_DOUBLE_EQ(host.message_link->peak_byte_per_s, 10e9);
}

TEST(NetworkLink, SaysWhatTheFileHasNot) {
  Result result = network_of_devices();
  result.run.complete = true;
  const auto told = [&](std::string_view name) -> std::string {
    return error_of([&] { (void)linked_by(result, name); });
  };
  EXPECT_EQ(told("rccl"),
            "net.json has no good row of an all-reduce and no good latency and bandwidth of messages between_nodes "
            "(device memory by RCCL): gable-mpi measures them");
  EXPECT_EQ(told("inside_node"),
            "net.json has no good latency and bandwidth of messages inside_node: gable-mpi measures them");
  for (const char* name : {"nccl:over_there", "host:", "hosts", "between_nodes:nccl"}) {
    EXPECT_EQ(told(name), std::string("--link net.json:") + name +
                              ": name host, device, nccl or rccl, inside_node or between_nodes, or both "
                              "(nccl:inside_node)");
  }
  result.run.complete = false;
  EXPECT_EQ(told("inside_node").find("net.json, incomplete, has no good latency"), 0U) << told("inside_node");
}

}  // namespace
}  // namespace gable
