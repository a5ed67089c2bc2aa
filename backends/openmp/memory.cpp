#include "backends/openmp/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "backends/openmp/system_file.hpp"
#include "core/error.hpp"

namespace gable::openmp {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// "MemAvailable:  123 kB" and its like, in byte.
std::optional<double> kilobytes_line(const std::string& line, const std::string& key) {
  if (line.compare(0, key.size(), key) != 0) return {};
  double value{};
  if (std::sscanf(line.c_str() + key.size(), "%lf", &value) != 1) return {};
  return value * 1024.0;
}

std::optional<double> meminfo(const std::string& key, const std::string& root = "/") {
  for (const auto& line : lines_of(root + "/proc/meminfo")) {
    if (const auto value = kilobytes_line(line, key)) return value;
  }
  return {};
}

/// Memory of a node that is free or holds copies of files, which the kernel drops when memory is needed: MemAvailable
/// of the node, within some MB. Nothing if the kernel does not tell.
std::optional<double> available_on(int node, const std::string& root) {
  std::optional<double> sum;
  for (const auto& line : lines_of(fmt::format("{}/sys/devices/system/node/node{}/meminfo", root, node))) {
    for (const char* key : {"MemFree:", "Active(file):", "Inactive(file):", "SReclaimable:"}) {
      if (const auto value = kilobytes_line(line, fmt::format("Node {} {}", node, key)))
        sum = sum.value_or(0.0) + *value;
    }
  }
  return sum;
}

double pages(int which) { return static_cast<double>(sysconf(which)) * static_cast<double>(sysconf(_SC_PAGESIZE)); }

/// Anonymous memory whose start is aligned to a huge page; the surplus on both sides is given back.
void* map_aligned(std::size_t bytes, Pages pages) {
  const std::size_t surplus = bytes + huge_page_bytes;
  void* raw = mmap(nullptr, surplus, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  char* begin = static_cast<char*>(raw);
  const auto address = reinterpret_cast<std::uintptr_t>(raw);
  const std::size_t head = (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
  if (head > 0) munmap(begin, head);
  if (surplus - head > bytes) munmap(begin + head + bytes, surplus - head - bytes);
  // refused where the kernel has none; huge_page_fraction() tells
  madvise(begin + head, bytes, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return begin + head;
}

}  // namespace

Share share_of(std::size_t count, int rank, int size, std::size_t grain) {
  const std::size_t grains = (count + grain - 1) / grain;
  const auto begin = std::min(count, grains * static_cast<std::size_t>(rank) / static_cast<std::size_t>(size) * grain);
  const auto end =
      std::min(count, grains * static_cast<std::size_t>(rank + 1) / static_cast<std::size_t>(size) * grain);
  return {begin, end - begin};
}

void fill_random(double* first, std::size_t count, std::uint64_t seed) {
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;  // Knuth's MMIX generator
    first[i] = std::bit_cast<double>((state >> 12) | 0x3FF0000000000000ULL) - 0.5;
  }
}

Array::Array(PinnedThreads& pinned, std::size_t count, std::uint64_t seed, Pages pages) : count_(count) {
  const double bytes = static_cast<double>(count) * sizeof(double);
  if (count == 0) throw Error("an array needs at least one element");
  if (bytes > memory_budget_bytes()) {
    throw Error(fmt::format("an array of {:.0f} MiB exceeds a quarter of the available memory ({:.0f} MiB)",
                            bytes / 0x1p20, memory_budget_bytes() / 0x1p20));
  }
  const std::size_t mapped_bytes = (count * sizeof(double) + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
  data_ = {static_cast<double*>(map_aligned(mapped_bytes, pages)), Unmap{mapped_bytes}};
  if (!data_)
    throw Error(fmt::format("no memory for an array of {:.0f} MiB: {}", bytes / 0x1p20, std::strerror(errno)));
  pinned.each([&](int rank) {
    const auto share = share_of(count, rank, pinned.size());
    fill_random(data() + share.begin, share.count, seed + static_cast<std::uint64_t>(rank) * 7919u);
  });
}

void Array::Unmap::operator()(double* data) const { munmap(data, bytes); }

std::optional<double> huge_page_fraction(const std::string& root) {
  std::optional<double> all, huge;
  for (const auto& line : lines_of(root + "/proc/self/smaps_rollup")) {
    if (const auto value = kilobytes_line(line, "Anonymous:")) all = value;
    if (const auto value = kilobytes_line(line, "AnonHugePages:")) huge = value;
  }
  if (!all || !huge || !(*all > 0)) return {};
  return std::min(1.0, *huge / *all);
}

double available_memory_bytes(const std::vector<NumaNode>& nodes, const std::string& root) {
  double available = meminfo("MemAvailable:", root).value_or(pages(_SC_AVPHYS_PAGES));
  available = std::min(available, memory_left_bytes(root).value_or(available));
  if (nodes_lack_memory(root)) return available;
  double on_nodes = 0.0;
  for (const auto& node : nodes) {
    const auto bytes = available_on(node.id, root);
    if (!bytes) return available;
    on_nodes += *bytes;
  }
  return nodes.empty() ? available : std::min(available, on_nodes);
}

bool nodes_lack_memory(const std::string& root) {
  double on_nodes = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/sys/devices/system/node", none)) {
    const std::string name = entry.path().filename().string();  // "node0"
    for (const auto& line : lines_of(entry.path().string() + "/meminfo"))
      on_nodes +=
          kilobytes_line(line, fmt::format("Node {} MemTotal:", name.substr(std::min<std::size_t>(4, name.size()))))
              .value_or(0.0);
  }
  return on_nodes > 0 && on_nodes < 0.9 * meminfo("MemTotal:", root).value_or(0.0);
}

double total_memory_bytes() { return meminfo("MemTotal:").value_or(pages(_SC_PHYS_PAGES)); }

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);         // large blocks come from the heap, too
  mallopt(M_TRIM_THRESHOLD, -1);  // whose free end stays
#endif
}

double memory_budget_bytes(const std::vector<NumaNode>& nodes) { return available_memory_bytes(nodes) / 4.0; }

}  // namespace gable::openmp
