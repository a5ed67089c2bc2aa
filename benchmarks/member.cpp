#include "benchmarks/member.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/measure/statistics.hpp"
#include "core/measure/timed.hpp"

namespace gable::bench {
namespace {

constexpr double batch_s = 4e-3;
constexpr double round_s = 25e-3;
constexpr double most_turns = 5;

class Runs final : public measure::Benchmark {
 public:
  explicit Runs(OperatorInstance& instance) : instance_(instance) {}
  measure::Sample run(std::uint64_t iterations) override {
    return measure::timed([&] {
      for (std::uint64_t i = 0; i < iterations; ++i) instance_.run();
      instance_.fence();
    });
  }

 private:
  OperatorInstance& instance_;
};

}  // namespace

Member::Member(std::unique_ptr<measure::Benchmark> benchmark) : benchmark_(std::move(benchmark)) {}

void Member::calibrate() {
  iterations_ = 1;
  benchmark_->run(iterations_);
  double time_s = 0;
  while ((time_s = benchmark_->run(iterations_).time_s) < batch_s) {
    const double factor = time_s > 0 ? std::clamp(1.2 * batch_s / time_s, 2.0, 100.0) : 100.0;
    iterations_ = static_cast<std::uint64_t>(std::ceil(static_cast<double>(iterations_) * factor));
  }
  turns_ = static_cast<int>(std::clamp(std::round(round_s / time_s), 1.0, most_turns));
}

int Member::turns() {
  if (iterations_ == 0) calibrate();
  return turns_;
}

void Member::take_turn() { times_s_.push_back(benchmark_->run(iterations_).time_s / static_cast<double>(iterations_)); }

double Member::finish_round() {
  const double middle = measure::median(times_s_);
  times_s_.clear();
  return middle;
}

std::unique_ptr<measure::Benchmark> runs_of(OperatorInstance& instance) { return std::make_unique<Runs>(instance); }

}  // namespace gable::bench
