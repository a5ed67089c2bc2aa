#include "backends/openmp/system_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <functional>
#include <sstream>
#include <string_view>

#include "core/text/csv_table.hpp"

namespace gable::openmp {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return {};
  return std::string(trimmed(line));
}

std::optional<double> number_in(const std::string& path) {
  const auto line = first_line(path);
  if (!line) return {};
  double value{};
  const auto end = line->data() + line->size();
  if (std::from_chars(line->data(), end, value).ec != std::errc{}) return {};
  return value;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<int> ids;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream range(part);
    int first{}, last{};
    if (!(range >> first)) break;
    last = first;
    if (char dash{}; range >> dash && (dash != '-' || !(range >> last))) break;
    for (int id = first; id <= last; ++id) ids.push_back(id);
  }
  return ids;
}

std::string cpu_list(const std::vector<int>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size();) {
    std::size_t end = i + 1;
    while (end < ids.size() && ids[end] == ids[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - i == 1 ? fmt::format("{}", ids[i]) : fmt::format("{}-{}", ids[i], ids[end - 1]);
    i = end;
  }
  return text.empty() ? "none" : text;
}

namespace {

// Version 1 writes "no limit" as a number near 2^63.
constexpr double unlimited_bytes = 4e18;

/// Folders of the group that holds `controller`, innermost first; version 2 has the empty controller name.
std::vector<std::string> folders(const std::string& root, const std::string& controller) {
  for (const auto& line : lines_of(root + "/proc/self/cgroup")) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto names = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    if (controller.empty() ? names != ",," : names.find(fmt::format(",{},", controller)) == std::string::npos) continue;
    const auto mount = root + "/sys/fs/cgroup" + (controller.empty() ? "" : "/" + controller);
    std::vector<std::string> result;
    for (auto path = line.substr(second + 1); path.size() > 1; path = path.substr(0, path.rfind('/'))) {
      result.push_back(mount + path);
    }
    result.push_back(mount);
    return result;
  }
  return {};
}

using Reader = std::function<std::optional<double>(const std::string& folder)>;

std::optional<double> smallest(const std::vector<std::string>& in, const Reader& read) {
  std::optional<double> least;
  for (const auto& folder : in) {
    const auto value = read(folder);
    if (value && (!least || *value < *least)) least = value;
  }
  return least;
}

std::optional<double> tightest(const std::string& root, const std::string& controller, const Reader& version1,
                               const Reader& version2) {
  const auto one = smallest(folders(root, controller), version1);
  const auto two = smallest(folders(root, ""), version2);
  return one && two ? std::min(*one, *two) : one ? one : two;
}

std::optional<double> quota_v1(const std::string& folder) {
  const auto quota = number_in(folder + "/cpu.cfs_quota_us");
  const auto period = number_in(folder + "/cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return {};
  return *quota / *period;
}

std::optional<double> quota_v2(const std::string& folder) {
  std::istringstream line(first_line(folder + "/cpu.max").value_or(""));
  double quota{}, period{};
  if (!(line >> quota >> period) || quota <= 0 || period <= 0) return {};  // "max 100000": no limit
  return quota / period;
}

std::optional<double> limit_in(const std::string& file) {
  const auto limit = number_in(file);
  if (!limit || *limit > unlimited_bytes) return {};
  return limit;
}

std::optional<double> limit_v1(const std::string& folder) { return limit_in(folder + "/memory.limit_in_bytes"); }

/// Above memory.high the kernel takes memory back and slows the group down until it has: no more is to be had.
std::optional<double> limit_v2(const std::string& folder) {
  const auto most = limit_in(folder + "/memory.max"), high = limit_in(folder + "/memory.high");
  return most && high ? std::min(*most, *high) : most ? most : high;
}

/// Memory of a group, with all groups in it, that the kernel drops when it is needed: copies of files, and its own
/// small objects. Shared memory counts as a file in `cache` and `file`, but cannot be dropped: it is not among the
/// active and inactive pages of files. Version 1 tells those of the groups inside in lines of their own, total_….
double reclaimable_bytes(const std::string& folder) {
  constexpr std::array<std::string_view, 3> kinds{"inactive_file", "active_file", "slab_reclaimable"};
  std::array<double, kinds.size()> own{}, total{};
  for (const auto& line : lines_of(folder + "/memory.stat")) {
    std::istringstream words(line);
    std::string key;
    double bytes{};
    if (!(words >> key >> bytes)) continue;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (key == kinds[i]) own[i] = bytes;
      if (key == fmt::format("total_{}", kinds[i])) total[i] = bytes;
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) sum += std::max(own[i], total[i]);
  return sum;
}

/// Never more than the limit, never negative.
std::optional<double> left(const std::optional<double>& limit, const std::string& folder, const char* usage) {
  if (!limit) return {};
  const double used = number_in(folder + usage).value_or(0.0);
  return *limit - std::max(0.0, std::min(*limit, used - std::min(used, reclaimable_bytes(folder))));
}

}  // namespace

std::optional<double> cpu_quota(const std::string& root) { return tightest(root, "cpu", quota_v1, quota_v2); }

std::vector<std::string> cpu_stat_files(const std::string& root) {
  std::vector<std::string> files;
  for (const char* controller : {"cpu", ""}) {
    for (const auto& folder : folders(root, controller)) files.push_back(folder + "/cpu.stat");
  }
  return files;
}

std::optional<double> memory_limit_bytes(const std::string& root) {
  return tightest(root, "memory", limit_v1, limit_v2);
}

std::optional<double> memory_left_bytes(const std::string& root) {
  return tightest(
      root, "memory",
      [](const std::string& folder) { return left(limit_v1(folder), folder, "/memory.usage_in_bytes"); },
      [](const std::string& folder) { return left(limit_v2(folder), folder, "/memory.current"); });
}

}  // namespace gable::openmp
