#include "benchmarks/disturber.hpp"

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

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

}  // namespace

Disturber::Disturber(const std::vector<int>& cpus, double share, unsigned seed) {
  if (share <= 0) return;
  for (const int cpu : cpus) {
    threads_.emplace_back([this, cpu, share, seed] { disturb(cpu, share, seed + static_cast<unsigned>(cpu), ended_); });
  }
}

Disturber::~Disturber() {
  ended_ = true;
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace gable::bench
