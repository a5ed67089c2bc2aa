#include "backends/gpu/gpu_backend.hpp"

#include <utility>

#include "backends/gpu/benchmarks/benchmarks.hpp"
#include "backends/gpu/captured_graph.hpp"
#include "backends/gpu/ceilings/ceilings.hpp"
#include "backends/gpu/event_timer.hpp"
#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/inventory.hpp"
#include "backends/gpu/library.hpp"
#include "core/error.hpp"
#include "core/row_item.hpp"

namespace gable::gpu {
namespace {

/// Share of the free memory that one measurement may take; the memory of two may exist at once.
constexpr double budget_share = 0.25;

/// Times calls that enqueue on a stream.
class RepeatedCalls final : public measure::Benchmark {
 public:
  RepeatedCalls(Stream stream, PowerMeter& meter, std::function<void()> once)
      : timer_(stream), meter_(meter), once_(std::move(once)) {}
  measure::TimedBatch run(std::uint64_t calls) override {
    return timer_.repeated(calls, once_, [this] { meter_.read(); });
  }

 private:
  EventTimer timer_;
  PowerMeter& meter_;
  std::function<void()> once_;
};

}  // namespace

GpuBackend::GpuBackend(ExtraItems extra) : extra_(std::move(extra)), built_(built_for()) {}

Probe GpuBackend::probe() {
  const auto inventory = query_devices();
  auto probe = make_probe(inventory, built_);
  for (auto& device : probe.devices) {
    for (auto& fact : Telemetry(find_facts(inventory, built_, device.id)).facts()) {
      device.facts.push_back(std::move(fact));
    }
  }
  return probe;
}

void GpuBackend::open(const DeviceInfo& device, const Request& request) {
  check_request(device, request);
  auto setup = std::make_shared<Setup>();
  setup->device = device;
  const auto inventory = query_devices();
  setup->facts = find_facts(inventory, built_, device.id);
  setup->built = built_;
  setup->request = request;
  setup->policies = policies_for(request.mode);
  set_device(setup->facts.index);
  setup->budget_bytes = budget_share * free_memory_bytes();
  setup->measurements = std::make_shared<DeviceMeasurements>(setup->facts, static_cast<int>(inventory.devices.size()));
  telemetry_.emplace(setup->facts);
  library_ = make_vendor_library();
  setup->conditions = [this] { return telemetry_->now(); };
  setup->energy_j = [this] { return telemetry_->energy_j(); };
  setup_ = std::move(setup);
}

const Setup& GpuBackend::opened() const {
  if (!setup_) throw Error("the GPU backend is used before a device is opened");
  return *setup_;
}

int GpuBackend::threads() const { return opened().threads(); }

int GpuBackend::device_index() const { return opened().facts.index; }

std::vector<Item> GpuBackend::ceilings() {
  const auto& setup = opened();
  std::vector<Item> items;
  if (!setup.request.ceilings) return items;
  append(items, compute_ceilings(setup_));
  append(items, library_ceilings(setup_));
  append(items, bandwidth_ceilings(setup_));
  append(items, latency_ceilings(setup_));
  append(items, launch_overheads(setup_));
  append(items, link_ceilings(setup_));
  append(items, working_set_sweeps(setup_));
  if (extra_) {
    append(items,
           extra_(setup.device, setup.request, setup.threads(), [this] { return behind_work(telemetry_->now()); }));
  }
  return items;
}

std::unique_ptr<measure::Benchmark> GpuBackend::timer(OperatorInstance& instance) {
  opened().measurements->wake_up();
  meter_ = PowerMeter(opened().energy_j);
  return std::make_unique<RepeatedCalls>(static_cast<Stream>(instance.stream()), meter_,
                                         [&instance] { instance.run(); });
}

std::unique_ptr<measure::Benchmark> GpuBackend::graph(OperatorInstance& instance) {
  opened().measurements->wake_up();
  instance.run();  // the first run of a kernel prepares things that cannot be captured
  instance.fence();
  const auto stream = static_cast<Stream>(instance.stream());
  const auto captured = std::make_shared<CapturedGraph>(stream, [&] { instance.run(); });
  meter_ = PowerMeter(opened().energy_j);
  return std::make_unique<RepeatedCalls>(stream, meter_, [captured] { captured->replay(); });
}

Conditions GpuBackend::conditions() {
  if (!telemetry_) return {};
  Conditions told = behind_work(telemetry_->now());
  told.power_w = meter_.mean_w();
  return told;
}

}  // namespace gable::gpu
