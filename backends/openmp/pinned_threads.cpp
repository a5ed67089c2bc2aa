#include "backends/openmp/pinned_threads.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include "backends/openmp/binding.hpp"
#include "backends/openmp/system_file.hpp"
#include "core/error.hpp"
#include "core/measure/disturbance.hpp"

namespace gable::openmp {
namespace {

using Clock = std::chrono::steady_clock;

/// The cpu this thread was last pinned to by any set; -1 before.
thread_local int pinned_to = -1;

bool pin_this_thread(int cpu) {
  if (pinned_to == cpu) return true;
  if (!confine_this_thread({cpu})) return false;
  pinned_to = cpu;
  return true;
}

/// Whether this thread is there now; true where the system does not tell.
bool runs_on(int cpu) {
  const int here = sched_getcpu();
  return here < 0 || here == cpu;
}

long involuntary_switches_of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

std::vector<int> read_usable_cpus() {
  if (omp_get_proc_bind() == omp_proc_bind_false || omp_get_num_places() == 0) return cpus_of_this_thread();
  std::vector<int> cpus;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    cpus.insert(cpus.end(), ids.begin(), ids.end());
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

/// Which variable makes OpenMP give `got` threads where `wanted` were asked for.
std::string culprit(int got) {
  if (omp_get_thread_limit() <= got) return fmt::format("OMP_THREAD_LIMIT={}", omp_get_thread_limit());
  if (omp_get_max_active_levels() == 0) return "OMP_MAX_ACTIVE_LEVELS=0";
  if (const char* dynamic = std::getenv("OMP_DYNAMIC")) return fmt::format("OMP_DYNAMIC={}", dynamic);
  return "the OpenMP runtime";
}

}  // namespace

/// What one thread leaves behind, on a cache line of its own.
struct alignas(128) PinnedThreads::Slot {
  Clock::time_point start{}, stop{};
  SentinelPair sentinel;
  long switches{};
  double ran_s{};  ///< processor time of the task
  int thread{};    ///< the kernel's number of it
  bool pinned{true};
  bool stayed{true};  ///< on its cpu, to the end of the last timed region
  std::exception_ptr failure;
};

const std::vector<int>& usable_cpus() {
  static const std::vector<int> cpus = read_usable_cpus();
  return cpus;
}

PinnedThreads::PinnedThreads(std::vector<int> cpus) : cpus_(std::move(cpus)), throttle_(cpu_stat_files()) {
  if (cpus_.empty()) throw Error("no cpu to pin a thread to");
  const auto& usable = usable_cpus();
  for (const int cpu : cpus_) {
    if (!std::binary_search(usable.begin(), usable.end(), cpu)) {
      throw Error(fmt::format("cpu {} is not among the cpus this process may use", cpu));
    }
  }
  slots_ = std::make_unique<Slot[]>(cpus_.size());
  pairs_.resize(cpus_.size());
  omp_set_dynamic(0);
  check_threads();
  former_cpus_ = cpus_of_this_thread();
  pin();
}

PinnedThreads::~PinnedThreads() {
  if (confine_this_thread(former_cpus_)) pinned_to = former_cpus_.size() == 1 ? former_cpus_.front() : -1;
}

void PinnedThreads::check_threads() const {
  int got = 0;
#pragma omp parallel num_threads(size())
  {
#pragma omp single
    got = omp_get_num_threads();
  }
  if (got == size()) return;
  throw Error(
      fmt::format("{} leaves {} of {} threads; unset it or ask for --threads {}", culprit(got), got, size(), got));
}

void PinnedThreads::pin() {
#pragma omp parallel num_threads(size())
  {
    const auto rank = static_cast<std::size_t>(omp_get_thread_num());
    pinned_to = -1;
    slots_[rank].pinned = pin_this_thread(cpus_[rank]);
    slots_[rank].thread = gettid();
  }
  for (std::size_t i = 0; i < cpus_.size(); ++i) watch_.pinned(slots_[i].thread);
  rethrow();
}

measure::TimedBatch PinnedThreads::timed(const std::function<void(int rank)>& body) {
  auto batch = run_once(body);
  for (int again = 0; again < 2 && was_moved(); ++again) batch = run_once(body);
  rethrow();
  return batch;
}

measure::TimedBatch PinnedThreads::run_once(const std::function<void(int rank)>& body) {
  const double throttled_before_s = throttle_.now_s();
  const auto threads = static_cast<unsigned>(size());
  const measure::StealWatch steal(cpus_);
  arrived_.store(0, std::memory_order_relaxed);
#pragma omp parallel num_threads(size())
  {
    const int rank = omp_get_thread_num();
    Slot& slot = slots_[static_cast<std::size_t>(rank)];
    slot.pinned = pin_this_thread(cpus_[static_cast<std::size_t>(rank)]);
    slot.sentinel.before = run_sentinel();
    slot.switches = -involuntary_switches_of_this_thread();
    arrived_.fetch_add(1, std::memory_order_acq_rel);
    while (arrived_.load(std::memory_order_acquire) < threads) relax();
    const double ran_before_s = measure::thread_time_s();
    slot.start = Clock::now();
    try {
      body(rank);
    } catch (...) {
      slot.failure = std::current_exception();
    }
    slot.stop = Clock::now();
    slot.ran_s = measure::thread_time_s() - ran_before_s;
    slot.stayed = runs_on(cpus_[static_cast<std::size_t>(rank)]);
    if (!slot.stayed) pinned_to = -1;
    slot.switches += involuntary_switches_of_this_thread();
    slot.sentinel.after = run_sentinel();
  }
  measure::TimedBatch batch{.stolen_s = steal.since(), .throttled_s = throttle_.now_s() - throttled_before_s};
  auto start = slots_[0].start, stop = slots_[0].stop;
  double ran_s = 0;
  for (std::size_t i = 0; i < cpus_.size(); ++i) {
    start = std::min(start, slots_[i].start);
    stop = std::max(stop, slots_[i].stop);
    batch.involuntary_switches += static_cast<double>(slots_[i].switches);
    pairs_[i] = slots_[i].sentinel;
    ran_s = std::max(ran_s, slots_[i].ran_s);
  }
  batch.time_s = std::chrono::duration<double>(stop - start).count();
  if (ran_s > 0) batch.preemption = std::max(1.0, batch.time_s / ran_s);
  describe(pairs_, batch);
  return batch;
}

measure::TimedBatch PinnedThreads::timed_beside(const std::function<void()>& body) {
  if (!sentinel_threads_) sentinel_threads_ = std::make_unique<SentinelThreads>(cpus_);
  const auto look = [&](Sentinel SentinelPair::*when) {
    const auto& seen = sentinel_threads_->run();
    for (std::size_t i = 0; i < seen.size(); ++i) pairs_[i].*when = seen[i];
  };
  look(&SentinelPair::before);
  const double throttled_before_s = throttle_.now_s();
  watch_.begin();
  auto batch = measure::timed(body, cpus_);
  const auto held = watch_.end(batch.time_s);
  batch.throttled_s = throttle_.now_s() - throttled_before_s;
  batch.preemption = held.preemption(batch.time_s);
  batch.most_preemption = held.most_preemption(batch.time_s);
  batch.moved = held.moved;
  if (held.moved) pin();
  look(&SentinelPair::after);
  describe(pairs_, batch);
  return batch;
}

void PinnedThreads::each(const std::function<void(int rank)>& body) {
#pragma omp parallel num_threads(size())
  {
    const int rank = omp_get_thread_num();
    Slot& slot = slots_[static_cast<std::size_t>(rank)];
    slot.pinned = pin_this_thread(cpus_[static_cast<std::size_t>(rank)]);
    try {
      body(rank);
    } catch (...) {
      slot.failure = std::current_exception();
    }
  }
  rethrow();
}

bool PinnedThreads::was_moved() const {
  const std::span slots(slots_.get(), cpus_.size());
  return std::ranges::all_of(slots, [](const Slot& slot) { return slot.pinned && !slot.failure; }) &&
         !std::ranges::all_of(slots, &Slot::stayed);
}

void PinnedThreads::rethrow() {
  std::exception_ptr first;
  for (std::size_t i = 0; i < cpus_.size(); ++i) {
    if (!slots_[i].pinned)
      throw Error(fmt::format("cannot pin a thread to cpu {}: this process may no longer use it", cpus_[i]));
    auto failure = std::exchange(slots_[i].failure, nullptr);
    if (!first) first = failure;
  }
  for (std::size_t i = 0; i < cpus_.size() && !first; ++i) {
    if (!std::exchange(slots_[i].stayed, true))
      throw Error(fmt::format("a thread was moved off cpu {} while it measured: the cpus of this process have changed",
                              cpus_[i]));
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace gable::openmp
