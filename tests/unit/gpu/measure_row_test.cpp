#include "backends/gpu/setup.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

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
  Ceiling measured(double batch_s, double warmup_s) {
    measure::Policy policy;
    policy.batch_s = batch_s;
    policy.batches_per_block = 1;
    policy.blocks = 6;
    policy.warmup_s = warmup_s;
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

/// Kernels of gfx11 see no clock: there the driver's, told while the device worked, is the row's.
TEST(MeasureRow, WhereKernelsSeeNoClockItIsTheDriversOfThatTime) {
  Device device;
  device.setup.conditions = [] {
    Conditions now;
    now.clock_hz = 2.4e9;
    now.clock_source = "the driver's freq1_input, read while the device worked";
    return now;
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
