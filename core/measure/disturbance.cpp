#include "core/measure/disturbance.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <thread>

#include "core/measure/statistics.hpp"
#include "core/sequence.hpp"

namespace gable::measure {
namespace {

/// A line "cpu3 user nice system idle iowait irq softirq steal …"; cpu -1 is the sum of all. Nothing of other lines, or
/// of a kernel that has no such field.
struct CpuLine {
  int cpu{-1};
  double ticks{};
};

std::optional<CpuLine> parse(const std::string& line) {
  if (line.compare(0, 3, "cpu") != 0) return {};
  CpuLine read;
  const bool one = line.size() > 3 && line[3] != ' ';
  const auto fields = line.find(' ');
  if (fields == std::string::npos) return {};
  if (one && std::sscanf(line.c_str(), "cpu%d ", &read.cpu) != 1) return {};
  if (std::sscanf(line.c_str() + fields, "%*s %*s %*s %*s %*s %*s %*s %lf", &read.ticks) != 1) return {};
  return read;
}

}  // namespace

std::optional<double> stolen_s(std::span<const int> cpus, const std::string& root) {
  const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream file(root + "/proc/stat");
  std::optional<double> all;
  double sum = 0;
  std::size_t found = 0;
  for (std::string line; std::getline(file, line);) {
    const auto read = parse(line);
    if (!read) break;
    if (read->cpu < 0) {
      all = read->ticks / ticks_per_s;
    } else if (std::find(cpus.begin(), cpus.end(), read->cpu) != cpus.end()) {
      sum += read->ticks / ticks_per_s;
      ++found;
    }
  }
  if (!cpus.empty() && found == cpus.size()) return sum;
  return all;
}

std::optional<double> StealWatch::since() const {
  const auto now_s = stolen_s(cpus_);
  if (!start_s_ || !now_s) return {};
  return std::max(0.0, *now_s - *start_s_);
}

std::optional<double> StolenShare::since() const {
  const auto stolen = steal_.since();
  if (!stolen) return {};
  const double passed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return *stolen / (passed_s * std::max(1U, std::thread::hardware_concurrency()));
}

namespace {

constexpr double deviations = 2.5;
constexpr int least_tail = 3;
constexpr double normal_consistency = 1.4826;  // median distance -> standard deviation of a normal distribution

}  // namespace

std::optional<double> throughput_ratio(const Block& block) {
  if (block.throughput_s <= 0 || block.sentinel_s <= 0) return {};
  return block.throughput_s / block.sentinel_s;
}

std::optional<double> throughput_baseline(std::span<const Block> blocks) {
  auto ratios = told_by(blocks, throughput_ratio);
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  return half_sample_mode(std::span(ratios).first((ratios.size() + 3) / 4));
}

bool was_interrupted(const Block& block) {
  return block.involuntary_switches > 0 || block.stolen_s.value_or(0.0) > 0 || block.moved > 0;
}

Classification classify(std::span<const Block> blocks, std::optional<double> throughput) {
  Classification result;
  std::vector<double> sentinels, preemptions, most_preemptions, waiting_shares;
  double switches = 0;
  int batches = 0;
  for (const Block& block : blocks) {
    switches += block.involuntary_switches;
    batches += block.batches;
    if (block.stolen_s) result.seen.stolen_s = result.seen.stolen_s.value_or(0.0) + *block.stolen_s;
    result.seen.throttled_s += block.throttled_s;
    if (block.moved > 0) ++result.seen.moved_blocks;
    if (block.sentinel_s > 0) sentinels.push_back(block.sentinel_s);
    preemptions.push_back(block.preemption);
    most_preemptions.push_back(block.most_preemption);
    waiting_shares.push_back(block.waiting_share);
  }
  if (!preemptions.empty()) {
    result.seen.preemption_slowdown = std::max(1.0, median(preemptions));
    result.seen.most_preemption = std::max(1.0, median(most_preemptions));
    result.seen.waiting_share = median(waiting_shares);
  }
  if (batches > 0) result.seen.involuntary_switches = switches / batches;
  if (!sentinels.empty()) {
    result.sentinel_baseline = half_sample_mode(sentinels);
    result.seen.sentinel_slowdown = median(sentinels) / *result.sentinel_baseline;
  }
  result.throughput_baseline = throughput ? throughput : throughput_baseline(blocks);
  const auto ratios = told_by(blocks, throughput_ratio);
  if (!ratios.empty()) result.seen.throughput_slowdown = median(ratios) / *result.throughput_baseline;
  const double slowest = (1 + disturbance_tolerance) * result.sentinel_baseline.value_or(0);
  const double greatest = (1 + throughput_tolerance) * result.throughput_baseline.value_or(0);
  for (const Block& block : blocks) {
    const bool slow_sentinel = block.sentinel_s > 0 && block.sentinel_s > slowest;
    const bool low_throughput = throughput_ratio(block).value_or(0.0) > greatest;
    const bool preempted = block.preemption > 1 + disturbance_tolerance;
    result.disturbed.push_back(was_interrupted(block) || preempted || slow_sentinel || low_throughput);
  }
  result.seen.disturbed_blocks = static_cast<int>(std::count(result.disturbed.begin(), result.disturbed.end(), true));
  return result;
}

bool has_slow_tail(std::span<const double> figures, bool larger_is_slower) {
  if (figures.empty()) return false;
  const double middle = median(figures);
  std::vector<double> fast;
  std::vector<double> slow;
  for (const double figure : figures) {
    const double slower_by = larger_is_slower ? figure - middle : middle - figure;
    if (slower_by <= 0) fast.push_back(-slower_by);
    if (slower_by >= 0) slow.push_back(slower_by);
  }
  const double threshold =
      std::max(deviations * normal_consistency * median(fast), disturbance_tolerance * std::abs(middle));
  const auto tail = std::count_if(slow.begin(), slow.end(), [&](double distance) { return distance > threshold; });
  return tail >= least_tail && static_cast<double>(tail) >= disturbing_share * static_cast<double>(figures.size());
}

}  // namespace gable::measure
