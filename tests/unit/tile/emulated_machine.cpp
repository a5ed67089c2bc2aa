#include "tests/unit/tile/emulated_machine.hpp"

#include <numeric>

#include "tests/unit/tile/emulated_block.hpp"

namespace gable::device::tile::test {
namespace {

constexpr std::size_t stack_bytes = 256 * 1024;

bool in_scratch(const std::byte* from, std::size_t bytes) {
  const auto scratch = block->scratch();
  return from >= scratch.data() && from + bytes <= scratch.data() + scratch.size();
}

}  // namespace

void Block::start() {
  try {
    block->kernel_(static_cast<int>(block->now_));
    if (!block->thread().open.empty()) throw std::logic_error("copies that no group holds");
  } catch (...) {
    if (!block->failure_) block->failure_ = std::current_exception();
  }
  block->thread().done = true;
  block->yield();
}

bool Block::is_read(const std::byte* at) const {
  for (const Group& group : groups_) {
    for (const auto& products : group.groups) {
      for (const Product& product : products) {
        if (product.reads[static_cast<std::size_t>(at - scratch_.data()) / 16]) return true;
      }
    }
  }
  return false;
}

Report Block::run() {
  block = this;
  for (Thread& thread : threads_) {
    thread.stack = std::make_unique_for_overwrite<std::byte[]>(stack_bytes);
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = stack_bytes;
    makecontext(&thread.context, &Block::start, 0);
  }
  std::size_t left = threads_.size();
  const auto rounds = [this] {
    long sum = std::accumulate(arrived_.begin(), arrived_.end(), all_.round);
    for (const Barrier& warp : warps_) sum += warp.round;
    for (const Barrier& group : groups_) sum += group.round;
    return sum;
  };
  while (left > 0 && !failure_) {
    const long before = rounds();
    const std::size_t left_before = left;
    for (now_ = 0; now_ < threads_.size() && !failure_; ++now_) {
      if (threads_[now_].done) continue;
      swapcontext(&scheduler_, &threads_[now_].context);
      if (threads_[now_].done) --left;
    }
    if (left == left_before && rounds() == before && !failure_) {
      failure_ = std::make_exception_ptr(std::logic_error("threads wait for others that never come"));
    }
  }
  block = nullptr;
  for (const Group& group : groups_) {
    if (!failure_ && !group.sums.empty()) throw std::logic_error("products that nobody waited for");
  }
  if (failure_) std::rethrow_exception(failure_);
  return report;
}

Report run_block(int lanes, int threads, std::span<std::byte> scratch, std::span<const Allowed> memory,
                 const std::function<void(int)>& kernel) {
  std::memset(scratch.data(), 0xff, scratch.size());
  return Block(lanes, threads, scratch, memory, kernel).run();
}

int EmulatedThreads::lane() { return block->lane(); }

void EmulatedThreads::barrier() {
  meet_at(block->all(), 0, "barrier", {}, [](auto&, auto&) {});
}

void EmulatedThreads::check_scratch(const void* address, std::size_t bytes) {
  if (!in_scratch(static_cast<const std::byte*>(address), bytes)) throw std::logic_error("outside of scratch");
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) throw std::logic_error("not aligned in scratch");
}

void EmulatedThreads::check_copy(const void* to, const void* from, int width, int bytes) {
  check_scratch(to, static_cast<std::size_t>(width));
  if (reinterpret_cast<std::uintptr_t>(from) % static_cast<std::uintptr_t>(width) != 0) {
    throw std::logic_error("a copy's source is not aligned");
  }
  const auto* source = static_cast<const std::byte*>(from);
  bool inside = bytes == 0;
  for (const Allowed& part : block->memory()) inside |= source >= part.begin && source + bytes <= part.end;
  if (!inside || bytes < 0 || bytes > width) throw std::logic_error("a copy reads outside of the arrays");
}

std::uint64_t EmulatedThreads::shuffle(std::uint64_t bits, int lane) {
  Words given;
  given.word = {bits, static_cast<std::uint64_t>(lane)};
  return in_warp("shfl", given,
                 [](const std::vector<Words>& lanes, std::vector<Words>& got) {
                   for (std::size_t i = 0; i < lanes.size(); ++i) got[i].word[0] = lanes[lanes[i].word[1]].word[0];
                 })
      .word[0];
}

void EmulatedThreads::check_aligned(const void* address, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) throw std::logic_error("a store is not aligned");
}

}  // namespace gable::device::tile::test
