#include "tests/gpu/emulated/machine/shared_memory.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {
namespace {

using enum AccessKind;

constexpr unsigned number(AccessKind kind) { return static_cast<unsigned>(kind); }
constexpr unsigned bit(AccessKind kind) { return 1U << number(kind); }

struct Rule {
  unsigned conflicts;  ///< kinds that this one must not meet in another warp without a barrier in between
  const char *present, *past;
};

const Rule& rule(AccessKind kind) {
  constexpr unsigned writes = bit(write) | bit(atomic_write) | bit(copy), all = ~0U;
  static constexpr Rule rules[] = {
      {all, "writes", "wrote"},
      {bit(write) | bit(copy) | bit(read) | bit(proxy_read), "writes atomically", "wrote atomically"},
      {writes, "reads", "read"},
      {bit(write) | bit(copy), "reads atomically", "read atomically"},
      {all, "copies into", "is still to write"},
      {writes, "reads", "read"},
      {all, "lands a copy in", ""}};
  return rules[number(kind)];
}

[[noreturn]] void fail(const std::string& rule_broken, const MemoryAccess& now, const MemoryAccess& before,
                       std::uint64_t offset, const std::string& why) {
  throw EmulationError(rule_broken + " at offset " + std::to_string(offset) + ": warp " + std::to_string(now.warp) +
                       " " + rule(now.kind).present + " what " +
                       (before.kind == copy ? "an asynchronous copy of " : "") + "warp " + std::to_string(before.warp) +
                       " " + rule(before.kind).past + why);
}

using Number = AccessHistories::Number;

constexpr std::uint64_t alignment = 1024;  ///< of its beginning: wgmma's patterns repeat after so many bytes

/// How many of `count` numbers are the same as the first, from it on.
std::uint64_t run_length(const Number* numbers, std::uint64_t count) {
  if (std::memcmp(numbers, numbers + 1, (count - 1) * sizeof(Number)) == 0) return count;
  return static_cast<std::uint64_t>(std::find_if(numbers, numbers + count, [&](Number n) { return n != *numbers; }) -
                                    numbers);
}

/// Who of a warp touched a byte last: epoch, whether all accesses in it were atomic, and a lane, every_lane, or
/// several.
using Tag = std::uint32_t;
constexpr Tag lane_bits = 63, several = 33, atomic_bit = 64, epoch_at = 7;

Tag is_of_other(Tag tag, Tag now) {
  return static_cast<Tag>((tag ^ now) >> epoch_at == 0) & static_cast<Tag>(((tag ^ now) & lane_bits) != 0);
}

/// Whether any of the tags is of another lane in the same epoch, and one of both is not atomic.
bool conflict(const Tag* tags, std::uint64_t count, Tag now) {
  Tag found = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    found |= is_of_other(tags[i], now) & static_cast<Tag>((tags[i] & now & atomic_bit) == 0);
  }
  return found != 0;
}

}  // namespace

void WarpClock::join(const WarpClock& other) {
  for (std::size_t w = 0; w < happened_before.size(); ++w) {
    happened_before[w] = std::max(happened_before[w], other.happened_before[w]);
    fenced[w] = std::max(fenced[w], other.fenced[w]);
  }
}

void AccessHistories::clear() {
  numbers_.clear();
  histories_.clear();
  steps_.fill({});
  number_of({});
}

AccessHistories::Number AccessHistories::number_of(std::vector<MemoryAccess> history) {
  std::sort(history.begin(), history.end());
  const auto [place, is_new] = numbers_.try_emplace(std::move(history), static_cast<Number>(histories_.size()));
  if (is_new) histories_.push_back(&place->first);
  return place->second;
}

AccessHistories::Number AccessHistories::after(Number history, const MemoryAccess& now, const WarpClock& clock,
                                               std::uint64_t offset) {
  Step& step = steps_[(history * 37U + now.warp * 8U + number(now.kind)) % steps_.size()];
  if (step.from == history && step.access == now) return step.to;
  const bool lands = now.kind == landing;
  std::vector<MemoryAccess> next;
  for (const MemoryAccess& before : *histories_[history]) {
    const bool ordered = (before.kind != copy || lands) &&
                         (before.warp == now.warp || before.time <= clock.happened_before[before.warp]);
    if (!ordered && (rule(now.kind).conflicts & bit(before.kind)) != 0) {
      fail("race in shared memory", now, before, offset,
           before.kind == copy ? ", which nobody has waited for (cp.async.wait_group)"
                               : ", and no barrier lies in between");
    }
    const bool writes = before.kind == write || before.kind == atomic_write;
    if (now.kind == proxy_read && writes && before.time > clock.fenced[before.warp]) {
      fail("fence.proxy.async is missing", now, before, offset, ", through the asynchronous proxy");
    }
    // What conflicts with `before` conflicts with `now`, too: whoever is ordered behind this one is behind that one.
    const bool covered = ordered && (rule(before.kind).conflicts & ~rule(now.kind).conflicts) == 0;
    if (!covered) next.push_back(before);
  }
  next.push_back({lands ? write : now.kind, now.warp, now.time});
  step = {history, now, number_of(std::move(next))};
  return step.to;
}

SharedMemory::SharedMemory(std::uint64_t bytes, std::size_t max_histories)
    : size_(bytes),
      max_histories_(max_histories),
      storage_(bytes + alignment),
      shadow_(bytes),
      written_(bytes),
      read_(bytes) {
  const auto begin = reinterpret_cast<std::uint64_t>(storage_.data());
  data_ = storage_.data() + (alignment - begin % alignment) % alignment;
  reset();
}

void SharedMemory::reset() {
  std::fill_n(data_, size_, std::byte{0xff});
  std::fill(shadow_.begin(), shadow_.end(), AccessHistories::untouched);
  histories_.clear();
  mbarriers.clear();
  pending_ = 0;
  if (epochs_ < 1U << 24) return;  // there are twice as many
  for (auto* tags : {&written_, &read_}) std::fill(tags->begin(), tags->end(), Tag{0});
  epochs_ = 0;
}

void SharedMemory::use(AccessKind kind, std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock) {
  if (offset > size_ || bytes > size_ - offset) {
    throw EmulationError("bytes from offset " + std::to_string(std::max(offset, size_)) +
                         " on are out of the block's shared memory of " + std::to_string(size_) + " bytes");
  }
  if (is_write(kind) && !mbarriers.empty()) {
    const auto next = mbarriers.lower_bound(offset + bytes);
    if (next != mbarriers.begin() && std::prev(next)->first + 8 > offset) {
      throw EmulationError("the bytes from offset " + std::to_string(offset) + " on are those of an mbarrier");
    }
  }
  if (histories_.size() > max_histories_ && pending_ == 0) {  // of a very long kernel: what was before is forgotten
    std::fill(shadow_.begin(), shadow_.end(), AccessHistories::untouched);
    histories_.clear();
  }
  pending_ += kind == AccessKind::copy ? bytes : kind == AccessKind::landing ? 0 - bytes : 0;
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

std::uint32_t SharedMemory::new_epoch() { return ++epochs_ << epoch_at; }

void SharedMemory::check_lane(AccessKind kind, std::uint32_t epoch, std::uint32_t lane, std::uint64_t offset,
                              std::uint64_t bytes) {
  const Tag now = epoch | lane | (is_atomic(kind) ? atomic_bit : 0);
  const bool was_written = conflict(&written_[offset], bytes, now);
  if (!was_written && !(is_write(kind) && conflict(&read_[offset], bytes, now))) return;
  throw EmulationError("race in shared memory at offset " + std::to_string(offset) + ": lane " +
                       std::to_string(lane % every_lane) + (is_write(kind) ? " writes" : " reads") +
                       " what another lane of its warp " + (was_written ? "wrote" : "read") +
                       ", and no barrier lies in between (bar.warp.sync)");
}

void SharedMemory::note_lane(AccessKind kind, std::uint32_t epoch, std::uint32_t lane, std::uint64_t offset,
                             std::uint64_t bytes) {
  const Tag now = epoch | lane | (is_atomic(kind) ? atomic_bit : 0), shared = (now & ~lane_bits) | several;
  Tag* const tags = &(is_write(kind) ? written_ : read_)[offset];
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const Tag all = (tags[i] ^ now) >> epoch_at == 0 ? tags[i] | ~atomic_bit : ~Tag{0};
    tags[i] = (is_of_other(tags[i], now) != 0 ? shared : now) & all;
  }
}

}  // namespace gable::emulated
