#include "core/worker/rotation.hpp"

#include <utility>

#include "core/error.hpp"

namespace gable::worker {

Rotation::Rotation(std::vector<std::unique_ptr<OperatorInstance>> copies, int runs)
    : copies_(std::move(copies)), latest_(copies_.size() - 1), runs_(runs) {
  if (copies_.empty()) throw Error("a rotation needs at least one instance");
}

void Rotation::run() {
  for (int i = 0; i < runs_; ++i) {
    latest_ = latest_ + 1 == copies_.size() ? 0 : latest_ + 1;
    copies_[latest_]->run();
  }
}

void Rotation::fence() { copies_[latest_]->fence(); }

std::vector<std::vector<double>> Rotation::inputs() { return copies_[latest_]->inputs(); }

std::vector<std::vector<double>> Rotation::outputs() { return copies_[latest_]->outputs(); }

}  // namespace gable::worker
