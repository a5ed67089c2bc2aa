// The backend as the worker uses it.
#include "backends/openmp/openmp_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <variant>

#include "core/device/device_parts.hpp"
#include "core/error.hpp"

namespace gable::openmp {
namespace {

/// Counts what a timer does to it.
struct CountingInstance final : OperatorInstance {
  int runs{}, fences{};
  void run() override { ++runs; }
  void fence() override { ++fences; }
  std::vector<std::vector<double>> inputs() override { return {}; }
  std::vector<std::vector<double>> outputs() override { return {}; }
};

Request one_thread() {
  Request request;
  request.threads = 1;
  return request;
}

TEST(Backend, IsOneDevice) {
  OpenMPBackend backend;
  const auto probed = backend.probe();
  ASSERT_EQ(probed.devices.size(), 1U);
  EXPECT_EQ(probed.devices[0].id, "openmp");
  EXPECT_EQ(backend.name(), "openmp");
}

TEST(Backend, MustBeOpenedFirst) {
  OpenMPBackend backend;
  EXPECT_THROW(backend.threads(), Error);
  EXPECT_THROW(backend.ceilings(), Error);
}

TEST(Backend, RefusesMoreThreadsThanCores) {
  OpenMPBackend backend;
  const auto device = backend.probe().devices.at(0);
  Request request;
  request.threads = device.cores + 1;
  EXPECT_THROW(backend.open(device, request), Error);
}

TEST(Backend, APartWorksOnItsOwnCpus) {
  OpenMPBackend whole, backend;
  const auto device = whole.probe().devices.at(0);
  if (device.cores < 2) GTEST_SKIP() << "one core has no parts";
  const auto parts = parts_of(device, Scope::core, Mode::quick);
  Request request{.concurrent = true, .concurrent_devices = {parts[0].id, parts[1].id}};
  backend.open(parts[1], request);
  EXPECT_EQ(backend.threads(), 1);
  EXPECT_EQ(backend.setup()->cpus, parts[1].cpus);
  for (const Item& item : backend.ceilings()) {
    const auto* row = std::get_if<Ceiling>(&item.planned);
    EXPECT_TRUE(!row || row->device == parts[1].id) << item.id();
  }
}

TEST(Backend, PlansEveryKindOfCeilingAndTheExtraItems) {
  int asked_threads = 0;
  std::function<Conditions()> given;
  measure::Timer timer;
  OpenMPBackend backend([&](const DeviceInfo&, const Request&, int threads, const std::function<Conditions()>& now,
                            const measure::Timer& beside) {
    asked_threads = threads;
    given = now;
    timer = beside;
    Ceiling launch;
    launch.id = "ceiling/overhead/kokkos_launch/kokkos";
    return std::vector<Item>{{launch, "extra", 0.1, 1.0, {}}};
  });
  backend.open(backend.probe().devices.at(0), one_thread());
  EXPECT_EQ(backend.threads(), 1);
  const auto items = backend.ceilings();
  EXPECT_EQ(asked_threads, 1);
  ASSERT_TRUE(given);
  EXPECT_EQ(given().huge_page_fraction.has_value(), backend.conditions().huge_page_fraction.has_value());
  ASSERT_TRUE(timer);
  int runs = 0;
  EXPECT_GT(timer([&] { ++runs; }).throughput_s, 0.0);
  EXPECT_EQ(runs, 1);
  for (const std::string part : {"ceiling/compute/", "/library", "ceiling/bandwidth/", "ceiling/latency/",
                                 "openmp_parallel_region", "curve/working_set_sweep", "kokkos_launch"}) {
    EXPECT_TRUE(std::any_of(items.begin(), items.end(), [&](const Item& item) {
      return item.id().find(part) != std::string::npos;
    })) << part;
  }
}

TEST(Backend, PlansNothingWhenNoCeilingsAreAskedFor) {
  OpenMPBackend backend;
  auto request = one_thread();
  request.ceilings = false;
  backend.open(backend.probe().devices.at(0), request);
  EXPECT_TRUE(backend.ceilings().empty());
}

TEST(Backend, TimerRunsAndFencesOnce) {
  OpenMPBackend backend;
  backend.open(backend.probe().devices.at(0), one_thread());
  CountingInstance instance;
  const auto sample = backend.timer(instance)->run(5);
  EXPECT_EQ(instance.runs, 5);
  EXPECT_EQ(instance.fences, 1);
  EXPECT_GT(sample.time_s, 0.0);
}

}  // namespace
}  // namespace gable::openmp
