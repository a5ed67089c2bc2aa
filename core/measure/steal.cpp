#include "core/measure/steal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

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

}  // namespace gable::measure
