#include "tests/gpu/emulated/machine/access_history.hpp"

#include <algorithm>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {
namespace {

using Kind = MemoryAccess::Kind;

unsigned bit(Kind kind) { return static_cast<unsigned>(kind); }

/// The kinds that an access of this kind must not meet in another warp without a barrier in between.
unsigned conflicts(Kind kind) {
  switch (kind) {
    case Kind::read:
      return bit(Kind::write) | bit(Kind::atomic_write) | bit(Kind::copy);
    case Kind::atomic_read:
      return bit(Kind::write) | bit(Kind::copy);
    case Kind::atomic_write:
      return bit(Kind::write) | bit(Kind::read) | bit(Kind::copy);
    case Kind::write:
    case Kind::copy:
      break;
  }
  return ~0U;
}

std::string verb(Kind kind, bool past) {
  switch (kind) {
    case Kind::read:
      return past ? "read" : "reads";
    case Kind::atomic_read:
      return past ? "read atomically" : "reads atomically";
    case Kind::atomic_write:
      return past ? "wrote atomically" : "writes atomically";
    case Kind::write:
      return past ? "wrote" : "writes";
    case Kind::copy:
      break;
  }
  return "copies into";
}

[[noreturn]] void fail(const MemoryAccess& now, const MemoryAccess& before, std::uint64_t offset) {
  const std::string begin = "race in shared memory at offset " + std::to_string(offset) + ": warp " +
                            std::to_string(now.warp) + " " + verb(now.kind, false) + " what ";
  const std::string other = "warp " + std::to_string(before.warp);
  if (before.kind == Kind::copy) {
    throw EmulationError(begin + "an asynchronous copy of " + other +
                         " is still to write, which nobody has waited for (cp.async.wait_group)");
  }
  throw EmulationError(begin + other + " " + verb(before.kind, true) + ", and no barrier lies in between");
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
  last_only_ = {};
  number_of({});
}

AccessHistories::Number AccessHistories::number_of(const std::vector<MemoryAccess>& history) {
  const auto [place, is_new] = numbers_.try_emplace(history, static_cast<Number>(histories_.size()));
  if (is_new) histories_.push_back(&place->first);
  return place->second;
}

AccessHistories::Number AccessHistories::only(const MemoryAccess& access) {
  if (last_only_.from != untouched || last_only_.access != access) {
    last_only_ = {untouched, access, number_of({access})};
  }
  return last_only_.to;
}

AccessHistories::Number AccessHistories::after(Number history, const MemoryAccess& now, const WarpClock& clock,
                                               std::uint64_t offset) {
  Step& step = steps_[(history * 37U + now.warp * 8U + static_cast<unsigned>(__builtin_ctz(bit(now.kind)))) % 1024];
  if (step.from == history && step.access == now) return step.to;
  std::vector<MemoryAccess> next;
  for (const MemoryAccess& before : *histories_[history]) {
    const bool ordered = before.kind != Kind::copy && before.happened_before(now.warp, clock);
    if (!ordered && (conflicts(now.kind) & bit(before.kind)) != 0) fail(now, before, offset);
    // What conflicts with `before` conflicts with `now`, too: whoever is ordered behind this one is behind that one.
    const bool covered = ordered && (conflicts(before.kind) & ~conflicts(now.kind)) == 0;
    if (!covered) next.push_back(before);
  }
  next.push_back(now);
  std::sort(next.begin(), next.end());
  step = {history, now, number_of(next)};
  return step.to;
}

}  // namespace gable::emulated
