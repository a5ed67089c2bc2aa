#include "backends/gpu/setup.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "backends/gpu/power_meter.hpp"
#include "core/row_item.hpp"
#include "tests/unit/gpu/fake_device.hpp"
#include "tests/unit/gpu/fake_measurements.hpp"

namespace gable::gpu::test {
namespace {

/// Time that passes when a batch runs.
class BatchClock final : public measure::Clock {
 public:
  double now() override { return time_s; }
  double resolution() const override { return 1e-9; }
  void sleep(double seconds) override { time_s += seconds; }
  double time_s{100.0};
};

/// An iteration is 1 byte and takes a nanosecond; all of it keeps the device busy.
class Worker final : public GpuBenchmark {
 public:
  Worker(BatchClock& clock, bool sees_clock) : clock_(clock), sees_clock_(sees_clock) {}
  double per_iteration() const override { return 1.0; }
  measure::TimedBatch run(std::uint64_t iterations) override {
    measure::TimedBatch batch;
    batch.time_s = 1e-9 * static_cast<double>(iterations);
    if (sees_clock_) batch.clock_hz = 1.5e9;
    clock_.time_s += 0.5 * batch.time_s;
    busy();
    clock_.time_s += 0.5 * batch.time_s;
    return batch;
  }

 private:
  BatchClock& clock_;
  bool sees_clock_;
};

/// A device that tells what it is asked of, second by second of the row.
struct Device {
  BatchClock clock;
  Setup setup;
  int asked = 0;
  bool kernels_see_clock = true;

  Device() {
    setup.facts = h200();
    setup.measurements = std::make_shared<FakeMeasurements>();
    setup.conditions = [this, begin = clock.time_s] {
      ++asked;
      const double t = clock.time_s - begin;
      Conditions now;
      now.power_w = t < 0.05 ? 90.0 : t < 1.0 ? 500.0 : 650.0;
      now.clock_limits = t < 0.5 ? "" : t < 0.8 ? "power cap" : t < 1.2 ? "software thermal" : "";
      return now;
    };
  }
  Ceiling measured(double batch_s, double warmup_s, double gap_s = 0) {
    measure::Policy policy;
    policy.batch_s = batch_s;
    policy.batches_per_block = 1;
    policy.blocks = 6;
    policy.warmup_s = warmup_s;
    policy.gap_s = gap_s;
    Ceiling row;
    row.unit = "byte/s";
    Worker work(clock, kernels_see_clock);
    measure_row(setup, row, work, policy, clock);
    return row;
  }
};

TEST(MeasureRow, ConditionsAreTheLastOfTheWorkWithEveryLimitThatWasNamed) {
  Device device;
  const auto row = device.measured(10e-3, 1.4);
  EXPECT_EQ(row.conditions.power_w, 650.0);
  EXPECT_EQ(row.conditions.clock_limits, "power cap, software thermal");
  EXPECT_LE(device.asked, 16);
  EXPECT_EQ(row.conditions.clock_hz, 1.5e9);
  EXPECT_NEAR(row.value.value, 1e9, 1.0);
}

TEST(MeasureRow, AShortRowDoesNotTakeTheIdleDevicesAnswerForItsOwn) {
  Device device;
  const auto row = device.measured(1e-3, 0.0);
  EXPECT_EQ(device.asked, 0);
  EXPECT_FALSE(row.conditions.power_w);
}

TEST(MeasureRow, ThePowerIsTheMetersWhereEnergyIsCounted) {
  Device device;
  device.setup.energy_j = [&] { return std::optional(400 * device.clock.time_s); };
  EXPECT_NEAR(device.measured(5e-3, 0.3).conditions.power_w.value(), 400, 1e-6) << "and not the 500 W that is told";
  EXPECT_FALSE(device.measured(5e-3, 0.3, 10e-3).conditions.power_w) << "it rested in between";
}

/// What a meter says of a device that took 200 W for 0.1 s, then 400 W until 1 s and 600 W after it, with a counter
/// that moves every step_s, read every batch_s until end_s.
std::optional<double> power(double step_s, double batch_s, double end_s) {
  BatchClock clock;
  const double begin = clock.time_s;
  const auto energy_j = [&] {
    const double t = step_s * std::floor((clock.time_s - begin) / step_s);
    return std::optional(5000 + 200 * std::min(t, 0.1) + 400 * std::clamp(t - 0.1, 0.0, 0.9) +
                         600 * std::max(t - 1, 0.0));
  };
  PowerMeter meter(energy_j, clock);
  for (; clock.time_s - begin < end_s; clock.time_s += batch_s) meter.read();
  return meter.mean_w();
}

TEST(PowerMeter, IsTheMeanBetweenStepsOfTheCounter) {
  EXPECT_NEAR(power(0.02, 5e-3, 0.3).value(), 400, 0.1 * 400) << "without the first 0.1 s";
  EXPECT_NEAR(power(0.1, 5e-3, 0.33).value(), 400, 0.1 * 400) << "two steps, found within 2.5 ms each";
  EXPECT_NEAR(power(0.02, 5e-3, 1.4).value(), 600, 0.1 * 600) << "of the last 0.35 s";
  EXPECT_FALSE(power(0.1, 5e-3, 0.23)) << "one step";
  EXPECT_FALSE(power(0.1, 16e-3, 0.33)) << "two errors of 8 ms in 100";
  EXPECT_FALSE(power(0.02, 5e-3, 0.1));
  EXPECT_FALSE(PowerMeter().mean_w());
}

/// A row of a device whose greatest clock is 1.98 GHz and whose driver names a limit behind the work.
std::optional<std::string> limits_at(std::optional<double> clock_hz) {
  auto setup = std::make_shared<Setup>();
  setup->facts = h200();
  setup->device.max_clock_hz = 1.98e9;
  setup->conditions = [] { return Conditions{.power_w = 124, .temperature_c = 45, .clock_limits = "power cap"}; };
  const auto fill = [clock_hz](const Setup&, Ceiling& row) { row.conditions.clock_hz = clock_hz; };
  const auto rows = row_item(setup, new_row(*setup, CeilingKind::link, "host_to_device", "byte/s"), "", 1, fill).run();
  const auto& told = std::get<Ceiling>(rows.front()).conditions;
  EXPECT_EQ(told.temperature_c, 45);
  EXPECT_FALSE(told.power_w) << "that of the moment behind the work";
  return told.clock_limits;
}

TEST(RowItem, ALimitIsToldWhereTheRowsClockWasBelowTheGreatest) {
  EXPECT_EQ(limits_at(1.74e9), "power cap");
  EXPECT_EQ(limits_at(1.977e9), "") << "1.98 GHz but for the error of a clock: the driver names what is over";
  EXPECT_EQ(limits_at(std::nullopt), std::nullopt) << "it has none";
}

/// Kernels of gfx11 see no clock: there the driver's, told while the device worked, is the row's.
TEST(MeasureRow, WhereKernelsSeeNoClockItIsTheDriversOfThatTime) {
  Device device;
  device.setup.conditions = [] {
    return Conditions{.clock_hz = 2.4e9, .clock_source = "the driver's freq1_input, read while the device worked"};
  };
  device.kernels_see_clock = false;
  const auto row = device.measured(10e-3, 1.4);
  EXPECT_EQ(row.conditions.clock_hz, 2.4e9);
  EXPECT_EQ(row.conditions.clock_source, "the driver's freq1_input, read while the device worked");
  device.kernels_see_clock = true;
  EXPECT_EQ(device.measured(10e-3, 1.4).conditions.clock_hz, 1.5e9) << "what kernels see goes before";
}

}  // namespace
}  // namespace gable::gpu::test
