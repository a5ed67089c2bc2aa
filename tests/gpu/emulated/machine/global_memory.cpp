#include "tests/gpu/emulated/machine/global_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {
namespace {

constexpr std::ptrdiff_t guard_bytes = 256;
constexpr std::byte guard_pattern{0xa5};
constexpr std::byte new_memory{0xff};

struct FreeAligned {
  void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{guard_bytes}); }
};

struct Range {
  std::uint64_t end = 0;
  std::unique_ptr<std::byte[], FreeAligned> storage{};  ///< with the guard zones; none if somebody else owns it
  bool constant = false;
  std::vector<std::uint32_t> shadow{};  ///< of all bytes, written and then read; empty until it is asked for
};

struct Memory {
  std::map<std::uint64_t, Range> ranges;     ///< by where they begin
  std::uint64_t hit_begin = 0, hit_end = 0;  ///< the range that was found last
  Range* hit = nullptr;
};

Memory& memory() {
  static Memory it;
  return it;
}

std::uint64_t number_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

void check_guard_zone(std::uint64_t begin, const Range& range) {
  if (range.storage == nullptr) return;
  const std::byte* const front = range.storage.get();
  const std::byte* const back = front + guard_bytes + (range.end - begin);
  const auto intact = [](const std::byte* zone) {
    return std::find_if(zone, zone + guard_bytes, [](std::byte b) { return b != guard_pattern; }) - zone;
  };
  const auto behind = intact(back), before = static_cast<std::ptrdiff_t>(guard_bytes) - intact(front);
  if (behind == guard_bytes && before == 0) return;
  throw EmulationError("the guard zone was written " +
                       (before == 0 ? std::to_string(behind) + " bytes behind the end of the allocation of "
                                    : std::to_string(before) + " bytes before the beginning of the allocation of ") +
                       range_text(begin, range.end - begin));
}

}  // namespace

std::byte* allocate(std::size_t bytes) {
  const std::size_t all = bytes + 2 * guard_bytes;
  Range range{0, decltype(Range::storage)(new (std::align_val_t{guard_bytes}) std::byte[all])};
  std::byte* const begin = range.storage.get() + guard_bytes;
  std::memset(range.storage.get(), static_cast<int>(guard_pattern), all);
  std::memset(begin, static_cast<int>(new_memory), bytes);
  range.end = number_of(begin) + bytes;
  memory().ranges[number_of(begin)] = std::move(range);
  return begin;
}

bool release(const void* pointer) {
  const auto found = memory().ranges.find(number_of(pointer));
  if (found == memory().ranges.end() || found->second.storage == nullptr) return false;
  const auto node = memory().ranges.extract(found);
  memory().hit_begin = memory().hit_end = 0;
  check_guard_zone(node.key(), node.mapped());
  return true;
}

void check_guard_zones() {
  for (const auto& [begin, range] : memory().ranges) check_guard_zone(begin, range);
}

std::size_t allocated_bytes() {
  std::size_t bytes = 0;
  for (const auto& [begin, range] : memory().ranges) bytes += range.storage == nullptr ? 0 : range.end - begin;
  return bytes;
}

void remember(const void* pointer, std::size_t bytes, bool constant) {
  memory().ranges[number_of(pointer)] = Range{number_of(pointer) + bytes, {}, constant};
}

void forget(const void* pointer) {
  memory().ranges.erase(number_of(pointer));
  memory().hit_begin = memory().hit_end = 0;
}

bool is_allocated(std::uint64_t address, std::uint64_t bytes) {
  Memory& all = memory();
  if (address < all.hit_begin || address >= all.hit_end) {
    auto next = all.ranges.upper_bound(address);
    if (next == all.ranges.begin()) return false;
    --next;
    if (address >= next->second.end) return false;
    all.hit_begin = next->first;
    all.hit_end = next->second.end;
    all.hit = &next->second;
  }
  return bytes <= all.hit_end - address;
}

bool is_constant(std::uint64_t address) { return is_allocated(address, 1) && memory().hit->constant; }

Shadow shadow_of(std::uint64_t address) {
  if (!is_allocated(address, 1)) throw EmulationError(range_text(address, 1) + " were never allocated");
  const Memory& all = memory();
  const std::uint64_t bytes = all.hit_end - all.hit_begin;
  if (all.hit->shadow.empty()) all.hit->shadow.resize(2 * bytes);
  std::uint32_t* const written = all.hit->shadow.data() + (address - all.hit_begin);
  return {written, written + bytes};
}

std::string range_text(std::uint64_t address, std::uint64_t bytes) {
  char text[80];
  std::snprintf(text, sizeof text, "%llu bytes at 0x%llx", static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(address));
  return text;
}

std::string nearest_allocation(std::uint64_t address) {
  std::string nearest = "nothing is allocated";
  std::uint64_t least = ~std::uint64_t{0};
  for (const auto& [begin, range] : memory().ranges) {
    const bool is_before = address < begin, is_inside = !is_before && address < range.end;
    const std::uint64_t distance = is_before ? begin - address : is_inside ? 0 : address - range.end;
    if (distance >= least) continue;
    least = distance;
    nearest = is_inside ? "the access ends behind"
                        : std::to_string(distance) + (is_before ? " bytes before" : " bytes behind the end of");
    nearest += " the allocation of " + range_text(begin, range.end - begin);
  }
  return nearest;
}

}  // namespace gable::emulated
