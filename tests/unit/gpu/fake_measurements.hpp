#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/inventory.hpp"
#include "backends/gpu/setup.hpp"
#include "tests/unit/gpu/fake_device.hpp"

namespace gable::gpu::test {

/// Takes as long as it is told: `amount` / `rate` seconds an iteration.
class SteadyBenchmark final : public GpuBenchmark {
 public:
  SteadyBenchmark(double amount, double rate) : amount_(amount), rate_(rate) {}
  measure::TimedBatch run(std::uint64_t iterations) override {
    measure::TimedBatch batch{.time_s = static_cast<double>(iterations) * amount_ / rate_, .clock_hz = 1.5e9};
    busy();
    return batch;
  }
  double per_iteration() const override { return amount_; }

 private:
  double amount_, rate_;
};

/// A device on which everything moves at `rate`; remembers what it was asked for.
class FakeMeasurements final : public Measurements {
 public:
  double rate{1e12};
  double launch_s{1e-12};
  std::vector<Peer> others;
  std::vector<StreamSpec> streams;
  std::vector<ChaseSpec> chases;
  std::vector<LinkSpec> links;

  std::vector<ComputeKernel> built;
  std::vector<GemmSpec> gemms;

  void wake_up() override {}
  std::vector<ComputeKernel> kernels() override { return built; }
  std::unique_ptr<GpuBenchmark> compute(const ComputeKernel& kernel) override { return steady(kernel.operations); }
  std::string library_name(DType) override { return "library"; }
  LibraryGemm library_gemm(const GemmSpec& spec) override {
    gemms.push_back(spec);
    LibraryGemm made;
    if (spec.storage == DType::int8 && spec.n % 16 != 0) {
      made.reason = "not a multiple of 16";
    } else if (spec.storage == DType::fp8_e5m2) {
      made.reason = "one factor at most is fp8_e5m2";
    } else if (spec.storage == DType::fp6_e2m3) {
      made.reason = "fp4 with scales alone";
    } else {
      made.benchmark = steady(1e9);
      made.algorithm = "66, tile 20";
    }
    return made;
  }
  std::unique_ptr<GpuBenchmark> stream(const StreamSpec& spec) override {
    streams.push_back(spec);
    return steady(spec.working_set_bytes);
  }
  std::unique_ptr<GpuBenchmark> l1_read() override { return steady(1e6); }
  std::unique_ptr<GpuBenchmark> shared_read() override { return steady(1e6); }
  std::unique_ptr<GpuBenchmark> runtime_copy(double bytes) override { return steady(bytes); }
  std::unique_ptr<GpuBenchmark> chase(const ChaseSpec& spec) override {
    chases.push_back(spec);
    return steady(1.0);
  }
  std::unique_ptr<GpuBenchmark> launches(LaunchKind) override { return steady(rate * launch_s); }
  std::unique_ptr<GpuBenchmark> link(const LinkSpec& spec) override {
    links.push_back(spec);
    return steady(spec.bytes);
  }
  std::vector<Peer> peers() override { return others; }
  std::unique_ptr<GpuBenchmark> peer_copy(int, double bytes) override { return steady(bytes); }

 private:
  std::unique_ptr<GpuBenchmark> steady(double amount) const { return std::make_unique<SteadyBenchmark>(amount, rate); }
};

/// An opened fake device.
struct Opened {
  std::shared_ptr<FakeMeasurements> measurements = std::make_shared<FakeMeasurements>();
  std::shared_ptr<Setup> setup = std::make_shared<Setup>();

  explicit Opened(const DeviceFacts& facts, Mode mode = Mode::quick) {
    setup->facts = facts;
    setup->built = build_of(facts);
    setup->device = describe(facts, inventory_of({facts}), setup->built);
    setup->request.mode = mode;
    setup->policies = policies_for(mode);
    setup->budget_bytes = 0.25 * facts.free_memory_bytes;
    setup->measurements = measurements;
  }
};

/// Each of them once.
inline std::set<std::string> ids(const std::vector<Item>& items) {
  std::set<std::string> found;
  for (const auto& item : items) EXPECT_TRUE(found.insert(item.id()).second) << item.id();
  return found;
}

/// The row of the item with this id.
inline Ceiling run(const std::vector<Item>& items, const std::string& id) {
  const auto found = std::ranges::find(items, id, &Item::id);
  if (found == items.end()) throw std::runtime_error("no item " + id);
  return std::get<Ceiling>(found->run().front());
}

}  // namespace gable::gpu::test
