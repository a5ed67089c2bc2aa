#include "tests/gpu/emulated/machine/access_history.hpp"

#include <algorithm>
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

}  // namespace gable::emulated
