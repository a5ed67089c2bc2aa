// cp.async: copies from global into shared memory, which take effect as late as they may, when they are waited for.
// What a policy says of caches is not emulated: there are none.
#include <algorithm>
#include <cstring>

#include "tests/gpu/emulated/machine/access.hpp"
#include "tests/gpu/emulated/machine/block_order.hpp"

namespace gable::emulated {
namespace {

constexpr std::uint64_t most_bytes = 16;

/// cp.async: bytes of each copy, and a register that says how many of them are read (`size`), or whether none is
/// (`ignore`).
struct CopyStatement {
  Address to, from;
  std::uint64_t bytes;
  Register size = no_register, ignore = no_register;

  std::uint32_t bytes_read(Warp& warp, std::size_t lane) const {
    if (ignore != no_register && warp.values(ignore)[lane] != 0) return 0;
    const std::uint64_t read = size == no_register ? bytes : warp.values(size)[lane] & 0xffffffffU;
    if (read <= bytes) return static_cast<std::uint32_t>(read);
    throw EmulationError("cp.async of " + std::to_string(bytes) + " bytes is to read " + std::to_string(read));
  }

  void begin(Warp& warp, LaneMask mask) const {
    const LaneValues places = access(warp, mask, to, bytes, Space::shared, AccessKind::copy);
    Copy copy{mask, bytes, places, addresses_of(warp, from, Space::global), {}, warp.copy_groups};
    for_lanes(mask, [&](std::size_t lane) {
      const std::uint32_t read = copy.read[lane] = bytes_read(warp, lane);
      if (copy.from[lane] % bytes != 0) throw EmulationError("cp.async from a misaligned address");
      if (read == 0) return;
      check_place(warp, lane, copy.from[lane], read, Space::global, AccessKind::read);
      use_global(AccessKind::read, copy.from[lane], read);
    });
    std::uint64_t different = 0;
    for_runs(mask, copy.to, bytes, [&](std::uint64_t, std::uint64_t count) { different += count; });
    if (different != bytes * static_cast<std::uint64_t>(__builtin_popcount(mask))) {
      throw EmulationError("lanes of cp.async write to the same place");
    }
    warp.copies.push_back(copy);
  }
};

void land(Warp& warp, const Copy& copy, LaneMask lanes) {
  check(warp, lanes, copy.to, copy.bytes, Space::shared, AccessKind::landing);
  for_lanes(lanes, [&](std::size_t lane) {
    auto* const to = reinterpret_cast<std::byte*>(copy.to[lane]);
    const auto* const from = reinterpret_cast<const std::byte*>(copy.from[lane]);
    if (copy.read[lane] == most_bytes) {
      std::memcpy(to, from, most_bytes);
    } else {
      std::fill_n(std::copy_n(from, copy.read[lane], to), copy.bytes - copy.read[lane], std::byte{0});
    }
  });
}

void commit(Warp& warp, LaneMask mask) {
  for_lanes(mask, [&](std::size_t lane) { ++warp.copy_groups[lane]; });
}

/// Lands what the lanes have committed, but for the `left` groups that are the newest.
void wait(Warp& warp, LaneMask mask, std::uint64_t left) {
  for (Copy& copy : warp.copies) {
    LaneMask lands = 0;
    for_lanes(mask & copy.lanes,
              [&](std::size_t lane) { lands |= LaneMask{copy.group[lane] + left < warp.copy_groups[lane]} << lane; });
    if (lands != 0) land(warp, copy, lands);
    copy.lanes &= ~lands;
  }
  while (!warp.copies.empty() && warp.copies.front().lanes == 0) warp.copies.pop_front();
}

/// createpolicy: a register for what L2::cache_hint takes.
void decode_policy(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " fractional L2::evict_first ");
  const Register policy = operands.value(statement.operand(0));
  to.destinations = {policy};
  to.execute = [policy](Warp& warp, LaneMask mask) { write(warp, mask, policy, LaneValues{}); };
}

void decode_copies(const Statement& statement, Operands& operands, Instruction& to) {
  const auto bytes = literal(statement.operand(2));
  if (bytes != most_bytes && !(statement.has("ca") && (bytes == 4 || bytes == 8))) {
    refuse(statement, "a size of cp.async that is not there");
  }
  CopyStatement copy{operands.address(statement.operand(0)), operands.address(statement.operand(1)), *bytes};
  to.sources = {copy.to.base, copy.from.base};
  if (statement.operands.size() > (statement.has("L2::cache_hint") ? 4 : 3)) {
    const std::string& last = statement.operand(3);
    (operands.bits(last) == 1 ? copy.ignore : copy.size) = operands.value(last);
    to.sources.push_back(operands.value(last));
  }
  to.execute = [copy](Warp& warp, LaneMask mask) { copy.begin(warp, mask); };
}

}  // namespace

bool decode_copy(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name == "createpolicy") {
    decode_policy(statement, operands, to);
    return true;
  }
  if (statement.name != "cp") return false;
  allow(statement,
        " async ca cg shared shared::cta global L2::64B L2::128B L2::256B L2::cache_hint commit_group wait_all "
        "wait_group ");
  if (statement.has("commit_group")) {
    to.execute = commit;
  } else if (statement.has("wait_all")) {
    to.execute = [](Warp& warp, LaneMask mask) {
      commit(warp, mask);
      wait(warp, mask, 0);
    };
  } else if (statement.has("wait_group")) {
    const auto left = literal(statement.operand(0));
    if (!left) refuse(statement, "the number of groups is no literal");
    to.execute = [left = *left](Warp& warp, LaneMask mask) { wait(warp, mask, left); };
  } else {
    decode_copies(statement, operands, to);
  }
  return true;
}

}  // namespace gable::emulated
