#include "core/worker/points.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/error.hpp"

namespace gable {
namespace {

/// Runs on a queue of its own.
class Queued final : public OperatorInstance {
 public:
  explicit Queued(void* queue) : queue_(queue) {}
  void run() override {}
  void fence() override {}
  void* stream() override { return queue_; }
  std::vector<std::vector<double>> inputs() override { return {}; }
  std::vector<std::vector<double>> outputs() override { return {}; }

 private:
  void* queue_;
};

TEST(Rotation, IsTimedOnTheQueueOfItsCopies) {
  int queue = 0;
  std::vector<std::unique_ptr<OperatorInstance>> copies;
  for (int i = 0; i < 2; ++i) copies.push_back(std::make_unique<Queued>(&queue));
  EXPECT_EQ(worker::Rotation(std::move(copies)).stream(), &queue);
}

TEST(Rotation, NeedsAnInstance) { EXPECT_THROW(worker::Rotation({}), Error); }

}  // namespace
}  // namespace gable
