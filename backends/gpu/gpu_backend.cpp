#include "backends/gpu/gpu_backend.hpp"

#include <iterator>
#include <utility>

#include "backends/gpu/choice.hpp"
#include "backends/gpu/device_query.hpp"
#include "backends/gpu/event_timer.hpp"
#include "core/error.hpp"
#include "gpu_api.hpp"

namespace gable::gpu {
namespace {

/// Share of the free memory one measurement may take; two measurements' memory may be alive at once.
constexpr double budget_share = 0.25;

class OperatorTimer final : public measure::Benchmark {
 public:
  explicit OperatorTimer(OperatorInstance& instance)
      : instance_(instance), timer_(static_cast<Stream>(instance.stream())) {}

  measure::Sample run(std::uint64_t iterations) override {
    measure::Sample sample;
    sample.time_s = timer_.time_s([&] {
      for (std::uint64_t i = 0; i < iterations; ++i) instance_.run();
    });
    return sample;
  }

 private:
  OperatorInstance& instance_;
  EventTimer timer_;
};

}  // namespace

GpuBackend::GpuBackend(ExtraItems extra) : extra_(std::move(extra)), built_(built_for()) {}
GpuBackend::~GpuBackend() = default;

Probe GpuBackend::probe() { return make_probe(query_devices(), built_); }

void GpuBackend::open(const DeviceInfo& device, const Request& request) {
  check_request(device, request);
  auto setup = std::make_shared<Setup>();
  setup->device = device;
  setup->facts = find_facts(query_devices(), built_, device.id);
  setup->built = built_;
  setup->request = request;
  setup->policies = policies_for(request.mode);
  set_device(setup->facts.index);
  setup->budget_bytes = budget_share * free_memory_bytes();
  setup->conditions = [this] { return conditions(); };
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
  if (extra_) {
    auto more = extra_(setup.device, setup.request, setup.threads());
    items.insert(items.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return items;
}

std::unique_ptr<measure::Benchmark> GpuBackend::timer(OperatorInstance& instance) {
  opened();
  return std::make_unique<OperatorTimer>(instance);
}

Conditions GpuBackend::conditions() { return {}; }

}  // namespace gable::gpu
