#include "backends/openmp/sentinel.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "backends/openmp/binding.hpp"
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
  // Waits until all threads sleep: a thread on its way to sleep would disturb the work that is timed next.
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
    if (const int here = sched_getcpu(); here >= 0 && here != cpu) confine_this_thread({cpu});  // somebody moved it
    latest_[rank] = run_sentinel();
    lock.lock();
  }
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Dependent multiply-adds of integers, 4 cycles each on current cores. The empty asm keeps the compiler from folding
/// the chain into fewer steps.
void run_chain(int steps) {
  std::uint64_t x = 1;
  for (int i = 0; i < steps; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(x));
  }
}

/// 16 bytes, which the registers of every x86-64 and AArch64 processor hold.
using Vector = float __attribute__((vector_size(16)));

constexpr std::size_t operands = 256;
alignas(64) constinit std::array<Vector, operands> ones = [] {
  std::array<Vector, operands> filled{};
  for (auto& vector : filled) vector = Vector{1, 1, 1, 1};
  return filled;
}();

/// Eight products and eight sums, each with a chain of its own, one vector out of L1 for every multiplication and every
/// addition: as many chains as 16 registers hold, so many that no unit waits for a result. A core of two loads a cycle
/// does one multiplication and one addition in it, which is what streams out of L1 ask of loads, and a good part of
/// what multiply-adds ask of the arithmetic units. More at once (four operations a cycle on two loads) proved to have
/// several speeds of its own; this piece has one, within 0.2 %.
///
/// None of it can be left out: in every pass `first` comes out of an asm statement, so the compiler does not know which
/// memory it reads and has to read it; no product or sum may be reordered or folded, because the arithmetic is IEEE's;
/// and the last asm statement needs a result that needs all others. The values stay finite: products are 1, sums at
/// most 1 + 16 x 160.
void run_independent(int passes) {
  const Vector* first = ones.data();
  Vector product[8], sum[8];
#pragma GCC unroll 8
  for (std::size_t j = 0; j < 8; ++j) product[j] = sum[j] = first[j];
  for (int pass = 0; pass < passes; ++pass) {
    asm volatile("" : "+r"(first));
    for (std::size_t i = 0; i < operands; i += 16) {
#pragma GCC unroll 8
      for (std::size_t j = 0; j < 8; ++j) {
        product[j] *= first[i + 2 * j];
        sum[j] += first[i + 2 * j + 1];
      }
    }
  }
  Vector total = product[0] + sum[0];
#pragma GCC unroll 8
  for (std::size_t j = 1; j < 8; ++j) total += product[j] + sum[j];
  asm volatile("" : : "m"(total));
}

constexpr int parts = 5;

/// The time of equal parts in a row, s, with the mean of the others in place of the slowest. The first part of a thread
/// that has just slept takes 5 to 15 % longer than the next, and an interruption of a microsecond, which the batch
/// would not feel, would be a large share of one part.
template <class Part>
double time_in_parts(Part&& part) {
  double sum = 0, slowest = 0;
  auto start = Clock::now();
  for (int i = 0; i < parts; ++i) {
    part();
    const auto end = Clock::now();
    const double taken = seconds(start, end);
    sum += taken;
    slowest = std::max(slowest, taken);
    start = end;
  }
  return (sum - slowest) * parts / (parts - 1);
}

double mean_ratio(const SentinelPair& pair) {
  return (pair.before.throughput_s / pair.before.chain_s + pair.after.throughput_s / pair.after.chain_s) / 2;
}

}  // namespace

Sentinel run_sentinel() {
  constexpr int steps = 6000, warming = 16, passes = 160;
  const double chain_s = time_in_parts([] { run_chain(steps / parts); });
  run_independent(warming);
  return {chain_s, time_in_parts([] { run_independent(passes / parts); })};
}

void describe(std::span<const SentinelPair> threads, measure::TimedBatch& batch) {
  double ratio = 0;
  for (const auto& thread : threads) {
    batch.sentinel_s = std::max(batch.sentinel_s, thread.before.chain_s + thread.after.chain_s);
    ratio = std::max(ratio, mean_ratio(thread));
  }
  batch.throughput_s = ratio * batch.sentinel_s;
}

}  // namespace gable::openmp
