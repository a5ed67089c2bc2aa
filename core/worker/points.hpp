#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/backend.hpp"
#include "core/measure/sampler.hpp"
#include "core/operator.hpp"

namespace gable::worker {

/// Copies of one operator instance that take turns: a run is that of the next `runs` copies, so that each finds data
/// that were last used as many runs ago as there are copies. All enqueue on the same queue: waiting for the latest run
/// waits for all. With one copy it is that instance.
class Rotation final : public OperatorInstance {
 public:
  /// Throws Error if there is no instance.
  explicit Rotation(std::vector<std::unique_ptr<OperatorInstance>> copies, int runs = 1);
  void run() override;
  void fence() override;
  /// Of all copies; what times them must watch the queue that they run on.
  void* stream() override { return copies_.front()->stream(); }
  /// Of the copy that ran last.
  std::vector<std::vector<double>> inputs() override;
  std::vector<std::vector<double>> outputs() override;

 private:
  std::vector<std::unique_ptr<OperatorInstance>> copies_;
  std::size_t latest_;
  int runs_;
};

/// How an operator's run is sampled.
measure::Policy point_policy(Mode mode);

/// The items that run operators on the opened backend: every case x implementation x type x size the request asks
/// for. What cannot run is an item too, and yields `unsupported` or `skipped` with the reason. The backend and entries
/// must outlive them. Throws Error when sizes asked for by the user are bad or do not fit the memory.
std::vector<Item> point_items(Backend& backend, const DeviceInfo& device, const Request& request,
                              std::span<const OperatorEntry* const> entries);

}  // namespace gable::worker
