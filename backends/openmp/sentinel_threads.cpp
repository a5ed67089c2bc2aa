#include "backends/openmp/sentinel_threads.hpp"

#include <fmt/format.h>

#include <chrono>

#include "backends/openmp/affinity.hpp"
#include "core/error.hpp"

namespace gable::openmp {

SentinelThreads::SentinelThreads(const std::vector<int>& cpus) : latest_(cpus.size()) {
  running_ = static_cast<unsigned>(cpus.size() - 1);
  for (std::size_t rank = 1; rank < cpus.size(); ++rank) {
    threads_.emplace_back([this, rank, cpu = cpus[rank]] { serve(rank, cpu); });
  }
  wait();
  if (refused_ >= 0) {
    stop();
    throw Error(fmt::format("cannot pin a thread to cpu {}: this process may no longer use it", refused_.load()));
  }
}

SentinelThreads::~SentinelThreads() { stop(); }

void SentinelThreads::stop() {
  ending_ = true;
  wake();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void SentinelThreads::wake() {
  asked_.fetch_add(1);
  asked_.notify_all();
}

void SentinelThreads::wait() {
  for (unsigned left = running_; left > 0; left = running_) running_.wait(left);
}

const std::vector<Sentinel>& SentinelThreads::run() {
  running_ = static_cast<unsigned>(threads_.size());
  wake();
  latest_[0] = run_sentinel();
  wait();
  // A thread that has ended its run gives way in a short loop before it sleeps. Beside a thread of OpenMP on its cpu
  // this counts as an involuntary switch, which must not fall into the work that is timed next.
  constexpr auto until_they_sleep = std::chrono::microseconds(50);
  if (!threads_.empty()) std::this_thread::sleep_for(until_they_sleep);
  return latest_;
}

void SentinelThreads::serve(std::size_t rank, int cpu) {
  unsigned seen = 0;
  if (!confine_this_thread({cpu})) refused_ = cpu;
  for (;;) {
    if (running_.fetch_sub(1) == 1) running_.notify_one();
    asked_.wait(seen);
    seen = asked_;
    if (ending_) return;
    latest_[rank] = run_sentinel();
  }
}

}  // namespace gable::openmp
