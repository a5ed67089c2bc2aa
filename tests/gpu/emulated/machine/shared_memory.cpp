#include "tests/gpu/emulated/machine/shared_memory.hpp"

#include <algorithm>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {
namespace {

using Kind = MemoryAccess::Kind;

constexpr std::uint64_t alignment = 1024;  ///< of its beginning: wgmma's patterns repeat after so many bytes
constexpr std::size_t max_histories = std::size_t{1} << 20;

MemoryAccess access_of(Kind kind, int warp, const WarpClock& clock) {
  return {kind, static_cast<std::uint8_t>(warp), clock.happened_before[static_cast<std::size_t>(warp)]};
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
  published = {};
}

bool SharedMemory::holds(std::uint64_t address) const {
  return address - reinterpret_cast<std::uint64_t>(data_) < size_;
}

std::uint64_t SharedMemory::offset_of(std::uint64_t address) const {
  return address - reinterpret_cast<std::uint64_t>(data_);
}

template <class Next>
void SharedMemory::replace(std::uint64_t offset, std::uint64_t bytes, Next&& next) {
  if (offset > size_ || bytes > size_ - offset) {
    throw EmulationError(std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                         " are out of the block's shared memory of " + std::to_string(size_) + " bytes");
  }
  auto* byte = shadow_.data() + offset;
  const auto* const end = byte + bytes;
  while (byte != end) {
    const AccessHistories::Number before = *byte;
    const AccessHistories::Number after = next(before, static_cast<std::uint64_t>(byte - shadow_.data()));
    do {
      *byte++ = after;
    } while (byte != end && *byte == before);
  }
}

void SharedMemory::use(Kind kind, std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock) {
  if (histories_.size() > max_histories) {  // of a very long kernel: what was before is forgotten
    std::fill(shadow_.begin(), shadow_.end(), AccessHistories::untouched);
    histories_.clear();
  }
  const MemoryAccess access = access_of(kind, warp, clock);
  replace(offset, bytes, [&](AccessHistories::Number history, std::uint64_t at) {
    return histories_.after(history, access, clock, at);
  });
}

void SharedMemory::end_copy(std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock) {
  const AccessHistories::Number written = histories_.only(access_of(Kind::write, warp, clock));
  replace(offset, bytes, [&](AccessHistories::Number, std::uint64_t) { return written; });
}

void SharedMemory::read_by_proxy(std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock) {
  const MemoryAccess access = access_of(Kind::read, warp, clock);
  replace(offset, bytes, [&](AccessHistories::Number history, std::uint64_t at) {
    const AccessHistories::Number next = histories_.after(history, access, clock, at);
    for (const MemoryAccess& before : histories_[history]) {
      const bool writes = before.kind == Kind::write || before.kind == Kind::atomic_write;
      if (!writes || before.time <= clock.fenced[before.warp]) continue;
      throw EmulationError("fence.proxy.async is missing: warp " + std::to_string(warp) + " reads offset " +
                           std::to_string(at) + " of shared memory through the asynchronous proxy, and what warp " +
                           std::to_string(before.warp) + " wrote there is not fenced");
    }
    return next;
  });
}

}  // namespace gable::emulated
