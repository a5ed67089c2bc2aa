#include "tests/gpu/emulated/machine/global_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr std::byte guard_pattern{0xa5};
constexpr std::byte new_memory{0xff};

struct FreeAligned {
  void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{guard_bytes}); }
};

struct Range {
  std::uint64_t end = 0;
  std::unique_ptr<std::byte[], FreeAligned> storage{};  ///< with the guard zones; none if somebody else owns it
};

struct Memory {
  std::map<std::uint64_t, Range> ranges;  ///< by where they begin
  std::size_t allocated = 0;
  std::uint64_t hit_begin = 0, hit_end = 0;  ///< the range that was found last
};

Memory& memory() {
  static Memory it;
  return it;
}

std::uint64_t number_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

std::string range_text(std::uint64_t begin, std::uint64_t end) {
  char text[80];
  std::snprintf(text, sizeof text, "%llu bytes at 0x%llx", static_cast<unsigned long long>(end - begin),
                static_cast<unsigned long long>(begin));
  return text;
}

void check_guard_zone(std::uint64_t begin, const Range& range) {
  if (range.storage == nullptr) return;
  const std::byte* const front = range.storage.get();
  const std::byte* const back = front + guard_bytes + (range.end - begin);
  const auto written = [](std::byte b) { return b != guard_pattern; };
  if (const auto* at = std::find_if(back, back + guard_bytes, written); at != back + guard_bytes) {
    throw EmulationError("the guard zone was written " + std::to_string(at - back) +
                         " bytes behind the end of the allocation of " + range_text(begin, range.end));
  }
  if (const auto* at = std::find_if(front, front + guard_bytes, written); at != front + guard_bytes) {
    throw EmulationError("the guard zone was written " + std::to_string(front + guard_bytes - at) +
                         " bytes before the beginning of the allocation of " + range_text(begin, range.end));
  }
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
  memory().allocated += bytes;
  return begin;
}

bool release(const void* pointer) {
  const auto found = memory().ranges.find(number_of(pointer));
  if (found == memory().ranges.end() || found->second.storage == nullptr) return false;
  const auto node = memory().ranges.extract(found);
  memory().allocated -= node.mapped().end - node.key();
  memory().hit_begin = memory().hit_end = 0;
  check_guard_zone(node.key(), node.mapped());
  return true;
}

void check_guard_zones() {
  for (const auto& [begin, range] : memory().ranges) check_guard_zone(begin, range);
}

std::size_t allocated_bytes() { return memory().allocated; }

void remember(const void* pointer, std::size_t bytes) {
  memory().ranges[number_of(pointer)] = Range{number_of(pointer) + bytes};
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
  }
  return bytes <= all.hit_end - address;
}

std::string nearest_allocation(std::uint64_t address) {
  const auto& ranges = memory().ranges;
  if (ranges.empty()) return "nothing is allocated";
  const auto next = ranges.upper_bound(address);
  const auto before = next == ranges.begin() ? ranges.end() : std::prev(next);
  const std::uint64_t ahead = next == ranges.end() ? ~std::uint64_t{0} : next->first - address;
  if (before == ranges.end() || (address >= before->second.end && address - before->second.end > ahead)) {
    return std::to_string(ahead) + " bytes before the allocation of " + range_text(next->first, next->second.end);
  }
  const std::string allocation = " the allocation of " + range_text(before->first, before->second.end);
  if (address < before->second.end) return "the access ends behind" + allocation;
  return std::to_string(address - before->second.end) + " bytes behind the end of" + allocation;
}

}  // namespace gable::emulated
