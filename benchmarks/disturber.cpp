#include "benchmarks/disturber.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <random>

#include "core/error.hpp"

namespace gable::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double shortest_s = 5e-3, longest_s = 200e-3;
constexpr std::size_t streamed_doubles = 32'000'000;  // 256 MB

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

void compute_until(Clock::time_point end) {
  double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  while (Clock::now() < end) {
    for (int i = 0; i < 1000; ++i) {
      for (double& value : x) value = value * 0.999 + 0.001;
    }
    asm volatile("" : : "r"(x) : "memory");
  }
}

void stream_until(Clock::time_point end, std::vector<double>& memory) {
  for (std::size_t at = 0; Clock::now() < end; at = (at + 4096) % memory.size()) {
    for (std::size_t i = at; i < at + 4096 && i < memory.size(); ++i) memory[i] += 1.0;
    asm volatile("" : : "r"(memory.data()) : "memory");
  }
}

void disturb(int cpu, double share, unsigned seed, const std::atomic<bool>& ended) {
  pin(cpu);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> length(shortest_s, longest_s);
  std::exponential_distribution<double> pause(share / (1 - share) / ((shortest_s + longest_s) / 2));
  std::vector<double> memory(streamed_doubles, 1.0);
  while (!ended) {
    std::this_thread::sleep_for(std::chrono::duration<double>(pause(random)));
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(length(random)));
    if (random() % 2 == 0)
      compute_until(end);
    else
      stream_until(end, memory);
  }
}

void loop(const std::atomic<bool>& ended) {
  while (!ended) compute_until(Clock::now() + std::chrono::milliseconds(10));
}

/// Lets all threads of all workers of gable run on this cpu only, as `taskset -ap` does.
void confine_workers(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  std::error_code gone;
  for (const auto& process : std::filesystem::directory_iterator("/proc", gone)) {
    std::string name;
    std::getline(std::ifstream(process.path() / "comm"), name);
    if (!name.starts_with("gable-worker")) continue;
    for (const auto& thread : std::filesystem::directory_iterator(process.path() / "task", gone))
      sched_setaffinity(std::atoi(thread.path().filename().c_str()), sizeof set, &set);
  }
}

void confine_after(double seconds, int cpu, const std::atomic<bool>& ended) {
  const auto at = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (!ended && Clock::now() < at) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  if (!ended) confine_workers(cpu);
}

/// A new control group, of either version, with this quota.
std::filesystem::path make_group(double cpus) {
  namespace fs = std::filesystem;
  const bool first = fs::exists("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  const fs::path group = fmt::format("/sys/fs/cgroup/{}gable_bench_{}", first ? "cpu/" : "", getpid());
  std::error_code failure;
  fs::create_directory(group, failure);
  constexpr int period_us = 100'000;
  const int quota_us = static_cast<int>(cpus * period_us);
  std::ofstream file(group / (first ? "cpu.cfs_quota_us" : "cpu.max"));
  file << (first ? fmt::format("{}", quota_us) : fmt::format("{} {}", quota_us, period_us)) << std::flush;
  if (!file) throw Error(fmt::format("cannot set a quota in {}: it needs root, and a cpu controller", group.string()));
  return group;
}

}  // namespace

Neighbour read_neighbour(std::string_view text) {
  const auto colon = text.find(':');
  Neighbour read;
  const auto how = parse_name<Disturbing>(text.substr(0, colon));
  const std::string_view amount = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto end = amount.data() + amount.size();
  const auto parsed = std::from_chars(amount.data(), end, read.amount);
  const bool good = how && parsed.ec == std::errc{} && parsed.ptr == end && read.amount > 0;
  if (!good || (*how == Disturbing::bursts && read.amount >= 1))
    throw Error(fmt::format("--disturb: '{}' is none of bursts:SHARE, loops:N, quota:CPUS, affinity:SECONDS", text));
  read.how = *how;
  return read;
}

Disturber::Disturber(const Neighbour& neighbour, const std::vector<int>& cpus, unsigned seed) {
  const double amount = neighbour.amount;
  if (neighbour.how == Disturbing::quota) {
    group_ = make_group(amount);
  } else if (neighbour.how == Disturbing::affinity) {
    threads_.emplace_back([this, amount, cpu = cpus.front()] { confine_after(amount, cpu, ended_); });
  } else if (neighbour.how == Disturbing::loops) {
    for (int i = 0; i < static_cast<int>(amount); ++i) threads_.emplace_back([this] { loop(ended_); });
  } else {
    for (const int cpu : cpus)
      threads_.emplace_back([=, this] { disturb(cpu, amount, seed + static_cast<unsigned>(cpu), ended_); });
  }
}

Disturber::~Disturber() {
  ended_ = true;
  for (std::thread& thread : threads_) thread.join();
  if (!group_.empty()) ::rmdir(group_.c_str());
}

std::vector<std::string> Disturber::beside(std::vector<std::string> command) const {
  if (group_.empty()) return command;
  const std::vector<std::string> inside{"sh", "-c", R"(echo $$ >"$0/cgroup.procs" && exec "$@")", group_.string()};
  command.insert(command.begin(), inside.begin(), inside.end());
  return command;
}

}  // namespace gable::bench
