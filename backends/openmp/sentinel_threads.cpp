#include "backends/openmp/sentinel_threads.hpp"

#include <fmt/format.h>

#include <chrono>

#include "backends/openmp/affinity.hpp"
#include "core/error.hpp"

namespace gable::openmp {

SentinelThreads::SentinelThreads(const std::vector<int>& cpus) : latest_(cpus.size()), running_(cpus.size() - 1) {
  for (std::size_t rank = 1; rank < cpus.size(); ++rank) {
    threads_.emplace_back([this, rank, cpu = cpus[rank]] { serve(rank, cpu); });
  }
  wait();
  if (refused_ >= 0) {
    stop();
    throw Error(fmt::format("cannot pin a thread to cpu {}: this process may no longer use it", refused_));
  }
}

SentinelThreads::~SentinelThreads() { stop(); }

void SentinelThreads::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  asked_anew_.notify_all();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void SentinelThreads::ask() {
  {
    const std::lock_guard lock(mutex_);
    running_ = threads_.size();
    ++asked_;
  }
  asked_anew_.notify_all();
}

void SentinelThreads::wait() {
  std::unique_lock lock(mutex_);
  all_ended_.wait(lock, [this] { return running_ == 0; });
}

const std::vector<Sentinel>& SentinelThreads::run() {
  ask();
  latest_[0] = run_sentinel();
  wait();
  // Until the last of the threads sleeps, its way there would fall into the work that is timed next.
  constexpr auto until_they_sleep = std::chrono::microseconds(50);
  if (!threads_.empty()) std::this_thread::sleep_for(until_they_sleep);
  return latest_;
}

void SentinelThreads::serve(std::size_t rank, int cpu) {
  const bool pinned = confine_this_thread({cpu});
  unsigned seen = 0;
  std::unique_lock lock(mutex_);
  if (!pinned) refused_ = cpu;
  for (;;) {
    if (--running_ == 0) all_ended_.notify_one();
    asked_anew_.wait(lock, [&] { return asked_ != seen || ending_; });
    if (ending_) return;
    seen = asked_;
    lock.unlock();
    latest_[rank] = run_sentinel();
    lock.lock();
  }
}

}  // namespace gable::openmp
