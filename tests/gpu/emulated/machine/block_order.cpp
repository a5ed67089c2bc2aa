#include "tests/gpu/emulated/machine/block_order.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/global_memory.hpp"

namespace gable::emulated {
namespace {

/// Who accessed a byte: twice the number of an epoch, which is a part of a block between fences, and 1 if atomically.
using Tag = std::uint32_t;

struct Epoch {
  Extent block;
  bool handed_over;  ///< behind a fence, by an atomic write
};

bool all_is_allowed = false;
Tag next_tag = 2, first_of_launch = 0, first_of_block = 0;
std::vector<Epoch> epochs;  ///< of the launch, the present one at its end
/// Of the block that runs: whether it has accessed something atomically, and has fenced behind that.
bool was_atomic = false, has_taken_over = false;

Epoch& epoch_of(Tag tag) { return epochs[(tag - first_of_launch) / 2]; }

void begin_epoch(const Extent& block) {
  epochs.push_back({block, false});
  next_tag += 2;
}

/// Not 0 if a byte was accessed by a block before, and one of both not atomically.
Tag may_conflict(Tag before, Tag mine) {
  return static_cast<Tag>(before - first_of_launch < first_of_block - first_of_launch) &
         static_cast<Tag>((before & mine & 1) == 0);
}

void check_order(const Tag* tags, std::uint64_t bytes, Tag mine, std::uint64_t address, const char* present,
                 const char* past) {
  Tag found = 0;
  for (std::uint64_t i = 0; i < bytes; ++i) found |= may_conflict(tags[i], mine);
  for (std::uint64_t i = 0; found != 0 && i < bytes; ++i) {
    if (may_conflict(tags[i], mine) == 0) continue;
    const Epoch& before = epoch_of(tags[i]);
    if (has_taken_over && before.handed_over) continue;
    throw EmulationError("race in global memory, " + range_text(address + i, 1) + ": it " + present + " what block " +
                         text_of(before.block) + " " + past + ", and nothing orders the two");
  }
}

}  // namespace

void begin_launch(bool may_race) {
  all_is_allowed = may_race;
  epochs.clear();
  first_of_launch = next_tag;
}

void begin_block(const Extent& id) {
  first_of_block = next_tag;
  was_atomic = has_taken_over = false;
  begin_epoch(id);
}

void fence_device() {
  has_taken_over |= was_atomic;
  begin_epoch(epochs.back().block);
}

void use_global(AccessKind kind, std::uint64_t address, std::uint64_t bytes) {
  if (all_is_allowed) return;
  const auto [written, read] = shadow_of(address);
  const Tag now = next_tag - 2, mine = now | Tag{is_atomic(kind)};
  const bool writes = is_write(kind);
  const char* const present = writes ? "writes" : "reads";
  check_order(written, bytes, mine, address, present, "wrote");
  if (writes) {
    check_order(read, bytes, mine, address, present, "read");
    std::fill_n(written, bytes, mine);
  } else {  // one reader is kept, the last that no later block can be in order with
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const Tag kept = read[i];
      const bool may_be_in_order = kept < first_of_launch || (kept & 1) != 0 || epoch_of(kept).handed_over;
      if (may_be_in_order) read[i] = mine;
    }
  }
  was_atomic |= is_atomic(kind);
  if (kind != AccessKind::atomic_write) return;
  for (Tag before = now; before > first_of_block && !epoch_of(before - 2).handed_over; before -= 2) {
    epoch_of(before - 2).handed_over = true;
  }
}

}  // namespace gable::emulated
