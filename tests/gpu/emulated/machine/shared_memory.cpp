#include "tests/gpu/emulated/machine/shared_memory.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {
namespace {

using Number = AccessHistories::Number;

constexpr std::uint64_t alignment = 1024;  ///< of its beginning: wgmma's patterns repeat after so many bytes
constexpr std::size_t max_histories = std::size_t{1} << 20;

/// How many of `count` numbers are the same as the first, from it on.
std::uint64_t run_length(const Number* numbers, std::uint64_t count) {
  if (std::memcmp(numbers, numbers + 1, (count - 1) * sizeof(Number)) == 0) return count;
  return static_cast<std::uint64_t>(std::find_if(numbers, numbers + count, [&](Number n) { return n != *numbers; }) -
                                    numbers);
}

}  // namespace

SharedMemory::SharedMemory(std::uint64_t bytes) : size_(bytes), storage_(bytes + alignment), shadow_(bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(storage_.data());
  data_ = storage_.data() + (alignment - begin % alignment) % alignment;
  reset();
}

void SharedMemory::reset() {
  std::fill_n(data_, size_, std::byte{0xff});
  std::fill(shadow_.begin(), shadow_.end(), AccessHistories::untouched);
  histories_.clear();
  mbarriers.clear();
}

void SharedMemory::use(AccessKind kind, std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock) {
  if (offset > size_ || bytes > size_ - offset) {
    throw EmulationError("bytes from offset " + std::to_string(std::max(offset, size_)) +
                         " on are out of the block's shared memory of " + std::to_string(size_) + " bytes");
  }
  if (histories_.size() > max_histories) {  // of a very long kernel: what was before is forgotten
    std::fill(shadow_.begin(), shadow_.end(), AccessHistories::untouched);
    histories_.clear();
  }
  const MemoryAccess access{kind, static_cast<std::uint8_t>(warp),
                            clock.happened_before[static_cast<std::size_t>(warp)]};
  for (const std::uint64_t end = offset + bytes; offset != end;) {
    Number* const numbers = &shadow_[offset];
    const std::uint64_t length = run_length(numbers, end - offset);
    const Number next = histories_.after(numbers[0], access, clock, offset);
    if (next != numbers[0]) std::fill_n(numbers, length, next);
    offset += length;
  }
}

}  // namespace gable::emulated
